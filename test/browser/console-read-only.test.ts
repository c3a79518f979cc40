import { beforeAll, expect, test } from "vitest";
import { createConsoleTest } from "../harness/console.ts";

let it: Awaited<ReturnType<typeof createConsoleTest>>;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("who may only read can focus and copy a form's fields, and change nothing of them", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/tools/find_slots");
  const url = page.getByRole("textbox", { name: "URL" });
  await url.waitFor();
  await expect.poll(() => url.isEnabled()).toBe(true);
  expect(await url.isEditable()).toBe(false);
  // A request is made by who may edit tools.
  expect(await page.getByRole("tab", { name: "Try it" }).count()).toBe(0);
  await url.focus();
  await url.selectText();
  await expect.poll(() => page.locator("input:focus").count()).toBe(1);
  const before = await url.inputValue();
  await page.keyboard.type("changed");
  expect(await url.inputValue()).toBe(before);
  expect(await page.getByRole("button", { name: "Review and save" }).count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("who may not make a record reads what it takes, in place of a form without a button", async () => {
  const page = await it.open(await it.person("Viewer"));
  for (const [path, permission] of [
    ["alerts", "alerts_write"],
    ["agents", "agents_write"],
  ]) {
    await page.goto(`/console/${path}/new`);
    await page.getByText(`This needs the permission ${permission}. Ask an administrator for it.`).waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
  }
  expect(page.faults).toEqual([]);
});

test("a test conversation shows its newest answer", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByRole("button", { name: "Start conversation" }).click();
  for (const words of ["a check-up please", "are you a human", "when are you open?", "are you a robot"]) {
    const answers = await page.getByText("Agent", { exact: true }).count();
    await page.getByLabel("Your message").fill(words);
    await page.getByLabel("Your message").press("Enter");
    await page.getByText("Agent", { exact: true }).nth(answers).waitFor();
  }
  const pane = page.getByLabel("Conversation", { exact: true });
  await expect
    .poll(() => pane.evaluate((words) => words.scrollHeight - words.scrollTop - words.clientHeight))
    .toBeLessThan(2);
  expect(page.faults).toEqual([]);
});
