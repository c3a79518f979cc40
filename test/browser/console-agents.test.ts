import { beforeAll, expect, test } from "vitest";
import { type ConsoleTest, createConsoleTest } from "../harness/console.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

/** The demo clinic, as its PUT takes it. */
async function agent() {
  const { body } = await it.app.send("GET", "/api/v1/agents/1");
  const { channel_targets, custom_message, language_group, prompt, tools, validation_issues, ...fields } =
    body;
  return fields;
}

test("what is wrong is told at its field, and a change is shown before it is saved", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await page.getByText("String should have at least 1 character").waitFor();
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => name.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true);

  await name.fill("Demo clinic");
  await page.getByLabel("Description").fill("Books appointments\nat a clinic");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("description").waitFor();
  expect(await review.getByRole("listitem").count()).toBe(1);
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Agent saved").waitFor();
  expect((await agent()).description).toBe("Books appointments\nat a clinic");
  expect(page.faults).toEqual([]);
});

test("who saves after somebody else is told what the other changed, and saves over it only knowingly", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  await page.getByLabel("Description").fill("Mine");
  await it.app.send("PUT", "/api/v1/agents/", {
    ...(await agent()),
    description: "Theirs",
    timezone: "Asia/Tokyo",
  });

  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review the change" });
  await review.getByText("Somebody else changed this record meanwhile").waitFor();
  await review.getByText("Asia/Tokyo").waitFor();
  await review.getByText("+ Theirs").waitFor();
  expect(await review.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  await review.getByLabel("Save mine over theirs").check();
  await review.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Agent saved").waitFor();
  expect((await agent()).description).toBe("Mine");
});

test("leaving a changed form asks first", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  await page.getByLabel("Description").fill("Not saved");
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (asked.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await page.getByRole("link", { name: "Sessions" }).click();
  expect(await page.getByLabel("Description").inputValue()).toBe("Not saved");
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  expect(asked).toHaveLength(2);
});

test("an agent is made, found by its name, talked with, and deleted", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents");
  await page.getByRole("link", { name: "New agent" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Night desk");
  await page.getByRole("combobox", { name: "Prompt" }).fill("reminder");
  await page.getByRole("option", { name: "Demo clinic reminder" }).click();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "Night desk" }).waitFor();

  await page.goto("/console/agents");
  await page.getByLabel("Name or description").fill("night");
  await expect.poll(() => new URL(page.url()).search).toBe("?q=night");
  await page.getByText("1–1 of 1").waitFor();
  await page.getByRole("link", { name: "Night desk" }).click();

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByLabel("Reason").fill("A test");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Night desk deleted").waitFor();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  expect(await page.getByRole("link", { name: "Night desk" }).count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("talking with an agent shows the step, the variables, the tool calls and the time of each turn", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/2");
  await page.getByRole("button", { name: "Start a conversation" }).click();
  await page.getByText("Can you come to your visit?").waitFor();
  await page.getByText("confirm-visit: ASK_COMING").waitFor();
  await page.getByLabel("Your message").fill("yes please");
  await page.getByLabel("Your message").press("Enter");
  await page.getByText("Do you need a wheelchair").waitFor();
  await page.getByText("confirm-visit: ASK_NEEDS").waitFor();
  await page.getByRole("region", { name: "Variables that changed" }).getByText('"coming": true').waitFor();

  await page
    .getByRole("button", { name: /confirm_visit/ })
    .last()
    .click();
  await page.getByRole("region", { name: "Asked by the model" }).getByText('"coming": true').waitFor();
  await page.getByLabel("Engine").check();
  await page.getByText("enters ASK_NEEDS").waitFor();
  await page.getByRole("link", { name: /^Session \d+$/ }).click();
  await page.getByText("enters ASK_NEEDS").waitFor();
  expect(page.faults).toEqual([]);
});
