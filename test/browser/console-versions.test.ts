import { sql } from "kysely";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { axeFindings, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { playRun } from "../harness/evaluations.ts";
import { playReplay, recordSession } from "../harness/replays.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
  await migrateJobs(it.app.database.pool, silentLog);
});

async function withTools(page: Page, tools: string[]): Promise<void> {
  const { body: prompt } = await it.app.send("GET", "/api/v1/prompts/1");
  const { id, name, type, context, llm_config } = prompt;
  const saved = await it.app.send("PUT", "/api/v1/prompts/", { id, name, type, context, llm_config, tools });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  await page.goto("/console/agents/1");
}

/** Presses the button that runs the suite, and plays what its jobs would; the window follows by itself. */
async function runSuite(page: Page): Promise<void> {
  const begun = page.waitForResponse((answer) => /test_suites\/\d+\/runs$/.test(answer.url()));
  await page.getByRole("dialog").getByRole("button", { name: "Run Clinic receptionist" }).click();
  await playRun(it.app, (await (await begun).json()).id);
}

async function runReplay(page: Page): Promise<void> {
  const begun = page.waitForResponse((answer) => /agents\/1\/replays$/.test(answer.url()));
  await page.getByRole("dialog").getByRole("button", { name: "Run the replay" }).click();
  await playReplay(it.app, (await (await begun).json()).id);
}

/** The demo's in another order. */
const TOOLS = ["find_slots", "book_appointment", "hangup", "cancel_appointment"];

const BOOKING = ["I need a cleaning on Thursday", "the first one", "My name is Ada Byron", "202 555 0147"];

/** The session's page offers it; the test joins the demo's suite. */
async function makeTest(page: Page, session_id: number): Promise<void> {
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByRole("button", { name: "Make a test" }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Name of the test").fill("Books as Ada did");
  await window.getByRole("combobox", { name: "Suite" }).click();
  await page.getByRole("option", { name: "Clinic receptionist" }).click();
  await window.getByRole("button", { name: "Make the test" }).click();
  await page.getByRole("button", { name: "Books as Ada did" }).waitFor();
}

test("an author makes a test of a session, breaks the agent, is held back by the suite, mends it, publishes, and goes back", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/agents/1");
  const release = page.getByRole("region", { name: "Release" });
  await release.getByText("Every save is live at once.").waitFor();
  await release.getByRole("button", { name: "Work with versions" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill("As it always was");
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await release.getByText("Version 3 is live").waitFor();
  await release.getByText("The draft has no changes.").waitFor();

  const booked = await recordSession(it.app, 1, BOOKING);
  for (let n = 0; n < 3; n++) await recordSession(it.app, 1, BOOKING.slice(0, 1));
  await makeTest(page, booked);
  await page.goto("/console/agents/1");
  await release.getByRole("link", { name: "All versions" }).click();
  await page.getByRole("button", { name: "Add suite" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("dialog").getByText("Choose a suite.").waitFor();
  await page.getByRole("dialog").getByRole("combobox", { name: "Suite" }).click();
  await page.getByRole("option", { name: "Clinic receptionist" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Clinic receptionist: not run with this draft.").waitFor();
  await page.getByRole("button", { name: "Add replay" }).click();
  await page.getByRole("dialog").getByLabel("Sessions").fill("4");
  await page.getByRole("dialog").getByLabel("Allowed regression").fill("70");
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Replay: no replay of 4 sessions with this draft against version 3.").waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await withTools(page, ["find_slots", "cancel_appointment", "hangup"]);
  await release.getByText("The draft changes tools and tool book_appointment.").waitFor();
  await release.getByRole("button", { name: "Review and publish" }).click();
  const window = page.getByRole("dialog");
  await window.getByRole("region", { name: "Changes" }).getByText("Tools offered").first().waitFor();
  await runSuite(page);
  await window.getByText(/\d+ of 21 tests pass, which shows at least/).waitFor();
  const { items } = (await it.app.send("GET", "/api/v1/test_runs/1/results?limit=100")).body;
  expect(items.find((each: { case_name: string }) => each.case_name === "Books as Ada did")).toMatchObject({
    status: "failed",
  });
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await window.getByText("The draft may not be published yet.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // The button goes with what it did, and the keyboard stays in the window.
  await window.getByRole("button", { name: "Run Clinic receptionist" }).focus();
  const again = page.waitForResponse((answer) => /test_suites\/\d+\/runs$/.test(answer.url()));
  await page.keyboard.press("Enter");
  const { id } = await (await again).json();
  await window.getByText("0 of 21 tests run").waitFor();
  await window.locator(":focus").waitFor();
  await playRun(it.app, id);
  await page.keyboard.press("Escape");

  await withTools(page, TOOLS);
  await release.getByRole("button", { name: "Review and publish" }).click();
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await window.getByText("The draft may not be published yet.").waitFor();
  await runSuite(page);
  await window.getByText("Clinic receptionist: 21 of 21 tests pass, which shows at least 84.5 %").waitFor();
  await runReplay(page);
  await window
    .getByText(/Replay \d+: of 4 sessions at most 49 points fewer reach what was reached/)
    .waitFor();
  await window.getByText("The draft may not be published yet.").waitFor({ state: "detached" });
  await window.getByLabel("Note").fill("Hanging up stands before cancelling");
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await release.getByText("Version 4 is live").waitFor();

  await release.getByRole("link", { name: "All versions" }).click();
  const first = page.getByRole("region", { name: "Version 3" });
  await first.getByRole("button", { name: "Compare with the draft" }).click();
  await first.getByText("Tools offered").waitFor();
  await first.getByRole("button", { name: "Make live" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make live" }).click();
  await first.getByText("Live", { exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});

test("who may publish without tests does so with a reason that stands at the version", async () => {
  const page = await it.open(await it.person("Admin"));
  await withTools(page, ["find_slots", "hangup"]);
  const release = page.getByRole("region", { name: "Release" });
  await release.getByRole("button", { name: "Review and publish" }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Reason to publish without the tests").fill("The booking service is gone");
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await release.getByText("Version 5 is live").waitFor();
  await release.getByRole("link", { name: "All versions" }).click();
  await page.getByText("The booking service is gone").waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("the older of two versions stands before the newer, in the words of the forms, and on a phone below each other", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents/1/versions");
  await page.getByRole("link", { name: "Compare versions" }).click();
  const [before, after] = [
    page.getByRole("combobox", { name: "Before" }),
    page.getByRole("combobox", { name: "After" }),
  ];
  await page.getByRole("columnheader", { name: "Version 5" }).first().waitFor();
  expect(await before.inputValue()).toMatch(/^Version 4/);
  expect(await after.inputValue()).toMatch(/^Version 5/);
  await after.click();
  await page.getByRole("option", { name: /^Version 3/ }).click();
  await page.getByRole("columnheader", { name: "Version 3" }).first().waitFor();
  expect(await before.inputValue()).toMatch(/^Version 3/);
  expect(await after.inputValue()).toMatch(/^Version 4/);
  const tools = page.getByLabel("Tools offered, side by side");
  expect(await tools.getByRole("columnheader").allTextContents()).toEqual(["Version 3", "Version 4"]);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByLabel("Change of Tools offered").waitFor();
  expect(await page.getByRole("columnheader").count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("who only reads sees what is live and what the draft changes, and no button", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.goto("/console/agents/1/versions");
  await page.getByRole("region", { name: "Version 3" }).waitFor();
  expect(await page.getByRole("button", { name: /Make live|Stop using|Add suite|Remove/ }).count()).toBe(0);
  await page.goto("/console/agents/1");
  await page.getByText(/Version \d is live/).waitFor();
  // When it was made live is another time, where it was published before.
  await page.getByText(/^published .+ by /).waitFor();
  expect(await page.getByRole("button", { name: "Review and publish" }).count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("a version that an experiment is to try is published while the live one stays", async () => {
  const page = await it.open(await it.person("Admin"));
  await withTools(page, ["hangup"]);
  const release = page.getByRole("region", { name: "Release" });
  await release.getByRole("button", { name: "Review and publish" }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Reason to publish without the tests").fill("To be tried on few people");
  await window.getByRole("switch", { name: "Make live" }).uncheck();
  expect(await axeFindings(page)).toEqual([]);
  await window.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Version 6 is published. Version 5 stays live.").waitFor();
  await release.getByText("The draft is version 6, which is not live.").waitFor();
  await release.getByRole("link", { name: "All versions" }).click();
  await page
    .getByRole("region", { name: "Version 6" })
    .getByRole("button", { name: "Make live", exact: true })
    .waitFor();
  await page.getByRole("region", { name: "Version 5" }).getByText("Live", { exact: true }).waitFor();
  expect(page.faults).toEqual([]);
});

test("of more versions than a page shows the first ones are reached, and any can be compared", async () => {
  const agents = await it.app.send("GET", "/api/v1/agents/?search_fields=name&search_field_values=reminder");
  const agent_id: number = agents.body.items[0].id;
  await it.app.send("POST", `/api/v1/agents/${agent_id}/versions`, { note: "First" });
  await sql`
    insert into agent_versions select (json_populate_record(v, json_build_object('id', 100000 + n, 'version_number', 1 + n))).*
    from generate_series(1, 119::int) n, agent_versions v where v.agent_id = ${agent_id}`.execute(it.app.db);
  const page = await it.open(await it.person("Viewer"));
  await page.goto(`/console/agents/${agent_id}/versions`);
  await page.getByRole("region", { name: "Version 120" }).waitFor();
  await page.getByText("1–25 of 120").waitFor();
  await page.getByRole("button", { name: "Page 5" }).click();
  await page.getByRole("region", { name: "Version 1", exact: true }).waitFor();
  await page.goto(`/console/agents/${agent_id}/versions/compare?before=1&after=120`);
  const before = page.getByRole("combobox", { name: "Before" });
  await expect.poll(() => before.inputValue()).toMatch(/^Version 1:/);

  const suite = await it.app.send("POST", "/api/v1/test_suites/", {
    name: "Reminders",
    agent: agents.body.items[0].name,
    cases: [{ name: "Greets", person: ["Hello"] }],
  });
  const run = await it.app.send("POST", `/api/v1/test_suites/${suite.body.id}/runs`, { version: 1 });
  await playRun(it.app, run.body.id);
  await sql`
    insert into test_runs select (json_populate_record(r, json_build_object('id', 100000 + n, 'version_number', 2))).*
    from generate_series(1, 120::int) n, test_runs r where r.id = ${run.body.id}`.execute(it.app.db);
  await page.reload();
  await page.getByRole("link", { name: `run ${run.body.id}`, exact: true }).waitFor();
  await page.getByText("Version 120: not run yet").waitFor();
  expect(page.faults).toEqual([]);
});
