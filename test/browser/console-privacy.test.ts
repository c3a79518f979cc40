import { beforeAll, expect, test } from "vitest";
import { converse } from "../harness/agent.ts";
import { type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("an administrator sets how long recordings are kept, and audits reads", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  await page.getByRole("textbox", { name: "Recordings" }).fill("30");
  await page.getByRole("switch", { name: /Audit reads/ }).check();
  await saveReviewed(page);
  const { body } = await it.app.send("GET", "/api/v1/organizations/privacy");
  expect(body).toMatchObject({ audit_reads: true, retention: { recording: 30, session: null } });
  expect(page.faults).toEqual([]);
});

test("an erasure shows what it deletes before it is begun, and its proof afterwards", async () => {
  const { body } = await it.app.send("GET", "/api/v1/agents/");
  await converse(it.app, body.items[0].id)("hello", { source: "+15126670042" });
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  await page.getByRole("button", { name: "Erase a person" }).click();
  const window = page.getByRole("dialog", { name: "Erase a person" });
  await window.getByRole("textbox", { name: "Number or address" }).fill("+15126670042");
  await window.getByRole("button", { name: "Count" }).click();
  await window.getByText(/To be deleted: .*sessions 1/).waitFor();
  await window.getByRole("button", { name: "Erase for good" }).click();
  await page.getByRole("row", { name: /pending|running|completed/ }).waitFor();
  expect(page.faults).toEqual([]);
});
