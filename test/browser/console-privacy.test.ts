import { beforeAll, expect, test } from "vitest";
import { converse } from "../harness/agent.ts";
import { axeFindings, type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

test("an administrator sets how long recordings are kept, and audits reads", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  await page.getByRole("textbox", { name: "Recordings" }).fill("30");
  await page.getByRole("switch", { name: /Audit reads/ }).check();
  await page.getByRole("switch", { name: /Seal conversations/ }).check();
  await saveReviewed(page);
  const { body } = await it.app.send("GET", "/api/v1/organizations/privacy");
  expect(body).toMatchObject({
    audit_reads: true,
    seal_texts: true,
    retention: { recording: 30, session: null },
  });
  expect(page.faults).toEqual([]);
});

test("an erasure shows what it deletes before it is begun, and its proof afterwards", async () => {
  const { body } = await it.app.send("GET", "/api/v1/agents/");
  await converse(it.app, body.items[0].id)("hello", { source: "+15126670042" });
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  await page.getByRole("button", { name: "Erase a person" }).click();
  const window = page.getByRole("dialog", { name: "Erase a person" });
  await window.getByRole("textbox", { name: "Number or address" }).fill("+15126670043");
  await window.getByRole("button", { name: "Count" }).click();
  await window.getByText("Nothing is stored under this number or address.").waitFor();
  await window.getByRole("textbox", { name: "Number or address" }).fill("+15126670042");
  await window.getByRole("button", { name: "Count" }).click();
  await window.getByText(/To be deleted: .*sessions 1/).waitFor();
  await window.getByRole("button", { name: "Erase for good" }).click();
  await page.getByRole("row", { name: /pending|running|completed/ }).waitFor();
  expect(page.faults).toEqual([]);
});

test("an administrator limits what agents do and say, and a tool's author has its calls confirmed", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");

  await page.getByRole("textbox", { name: "Calls per tool" }).fill("20");
  await page.getByRole("switch", { name: /Withhold unknown numbers/ }).check();
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("textbox", { name: "Rule 1", exact: true }).fill("promises");
  await page.getByRole("textbox", { name: "Phrases of rule 1" }).fill("we guarantee\nfor sure");
  const safety = page.locator("section", { has: page.getByRole("heading", { name: "Agent safety" }) });
  await safety.getByRole("switch", { name: /Recognize opt-outs in other words/ }).check();
  await safety.getByRole("textbox", { name: "Model" }).fill("gpt-6-sol");
  await saveReviewed(page);
  const { body } = await it.app.send("GET", "/api/v1/organizations/safety_rules");
  expect(body).toMatchObject({
    calls_per_tool: 20,
    withhold_unknown_contacts: true,
    output_rules: [{ name: "promises", phrases: ["we guarantee", "for sure"], pattern: null, say: null }],
    opt_out_judge: { provider: "openai", model: "gpt-6-sol" },
  });

  const { body: tools } = await it.app.send("GET", "/api/v1/tools/");
  const { name } = tools.items.find(
    (tool: { service_name: string; definition: { type: string } }) =>
      tool.service_name !== "System" && tool.definition.type === "endpoint",
  );
  await page.goto(`/console/tools/${name}`);
  await page.getByRole("switch", { name: /Confirm before each call/ }).check();
  await page.getByRole("textbox", { name: "Read-back" }).fill("Shall I do it?");
  await saveReviewed(page);
  const { body: saved } = await it.app.send("GET", `/api/v1/tools/${name}`);
  expect(saved.definition).toMatchObject({ confirm: true, read_back: "Shall I do it?" });
  expect(page.faults).toEqual([]);
});

test("an administrator sees what the organization uses of its limits, and lowers one", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/organization");
  const panel = page.locator("section", { has: page.getByRole("heading", { name: "Limits", exact: true }) });
  await panel.getByText("0 in use. The installation allows 100.").waitFor();
  await panel.getByLabel("Calls at once").fill("500");
  await panel.getByRole("button", { name: "Review and save" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await panel.getByText("This installation allows 100 at most").waitFor();
  await panel.getByLabel("Calls at once").fill("40");
  await panel.getByRole("button", { name: "Review and save" }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Limits saved").waitFor();
  expect((await it.app.send("GET", "/api/v1/organizations/limits")).body.calls_at_once.own).toBe(40);
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("one agent's recordings are kept for fewer days than the organization's, on the agent's page", async () => {
  const page = await it.open(await it.person("Admin"));
  await page.goto("/console/agents/1");
  const panel = page.locator("section", { has: page.getByRole("heading", { name: "Retention" }) });
  await panel.getByRole("combobox", { name: "Recordings" }).click();
  await page.getByRole("option", { name: "Days" }).click();
  await panel.getByLabel("Days of recordings").fill("7");
  await panel.getByRole("combobox", { name: "Traces" }).click();
  await page.getByRole("option", { name: "Forever" }).click();
  await panel.getByRole("button", { name: "Review retention" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Retention saved").waitFor();
  const read = async () => (await it.app.send("GET", "/api/v1/agents/1/retention")).body.retention;
  expect(await read()).toEqual({ recording: 7, trace: null });
  await panel.getByRole("combobox", { name: "Traces" }).click();
  await page.getByRole("option", { name: "As the organization" }).click();
  await panel.getByRole("button", { name: "Review retention" }).click();
  await page.getByRole("dialog").getByText("− Forever").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(read).toEqual({ recording: 7 });
  expect(page.faults).toEqual([]);
});
