import { beforeAll, expect, test } from "vitest";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { insightsOf, pastSession, runInsights } from "../harness/insights.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">{{constructor}}`;
const LENGTH_s = 60;

let it: ConsoleTest;
let page: ConsolePage;
let sessions: number[];
beforeAll(async () => {
  it = await createConsoleTest();
  sessions = [];
  for (let index = 0; index < 4; index += 1) {
    sessions.push(
      await pastSession(it.app, it.app.admin, {
        agent_name: "Demo clinic",
        timestamp: new Date(it.app.clock.now().getTime() - (index + 1) * 86_400_000).toISOString(),
        lasted_s: LENGTH_s,
        said: [
          ["agent", "Hello."],
          ["user", `My code is A-${index}. ${HOSTILE}`],
        ],
      }),
    );
  }
  page = await it.open(await it.person("Admin"), { viewport: { width: 1300, height: 1000 } });
});

test("a tool is made by its definition's fields, tried on a session, and keeps nothing of that", async () => {
  await page.goto("/console/insights/tools/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("code");
  await page.getByRole("combobox", { name: "What it does" }).click();
  await page.getByRole("option", { name: "regex_tool" }).click();
  await page.getByLabel("Pattern").fill("code is (");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Pattern").fill("code is ([^{]+)");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "code" }).waitFor();

  await page.getByLabel("Session's number").fill(String(sessions[0]));
  await page.getByRole("button", { name: "Try it" }).click();
  const found = page.getByRole("region", { name: "What the tool found" });
  await found.getByText(/"matched": true/).waitFor();
  expect(await found.innerText()).toContain("onerror");
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect((await it.app.send("GET", "/api/v1/insights/")).body.items).toEqual([]);
  expect(page.faults).toEqual([]);
});

test("a workflow tells what it will take before it can be activated, and is activated only when that was read", async () => {
  await page.goto("/console/insights/workflows/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("codes of old calls");
  await page.getByRole("combobox", { name: "Tool to add" }).click();
  await page.getByRole("option", { name: "summary-tool" }).click();
  await page.getByRole("combobox", { name: "Tool to add" }).click();
  await page.getByRole("option", { name: "code", exact: true }).click();
  await page.getByRole("button", { name: "Move code up" }).click();
  await page.getByRole("button", { name: "Leave summary-tool out" }).click();
  await page.getByLabel(/^From/).fill("2026-11-01T00:00");
  await page.getByLabel("At most this long").fill("0");
  await page.getByLabel("At least this long").fill("5");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Input should not be less than min_duration").waitFor();
  await page.getByLabel("At most this long").fill("");
  await page.getByRole("button", { name: "Create" }).click();

  await page.getByText("What activating it would take").waitFor();
  await page.locator("dl", { hasText: "Older conversations, now" }).getByText("4", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Activate" }).isDisabled()).toBe(true);
  await page.getByLabel("At most, a minute").fill("600");
  await page.getByRole("button", { name: "Set the rate" }).click();
  await page.getByText("Rate set").waitFor();
  await page.getByRole("checkbox", { name: /I have read it/ }).check();
  await page.getByRole("button", { name: "Activate" }).click();
  await page.getByRole("heading", { name: "It is active" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("its backfill is paused, resumed and followed to its end, beside what was agreed to", async () => {
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("paused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("running", { exact: true }).waitFor();
  await runInsights(it.app);
  it.app.clock.advance(60_000);
  await runInsights(it.app);
  await page.getByText(/4 of 4 done, 0 of them failed/).waitFor();
  await page.getByRole("row", { name: /Agreed to 4/ }).waitFor();
  await page.getByRole("row", { name: /Used 4/ }).waitFor();

  await page.getByRole("tab", { name: "Executions" }).click();
  await page.getByRole("link", { name: `Session ${sessions[0]}` }).waitFor();
  expect(await page.getByText("done", { exact: true }).count()).toBe(4);
  expect(page.faults).toEqual([]);
});

test("results are bars with their numbers, with a table of every one; hostile answers are texts", async () => {
  await page.goto("/console/insights?view=results&insight=matched");
  const bars = page.getByRole("list", { name: "Answers of matched" });
  await bars.waitFor();
  expect(await bars.getByRole("listitem").allInnerTexts()).toEqual([expect.stringMatching(/true\s+4/)]);
  const table = page.getByRole("region", { name: "Results" });
  await table
    .getByRole("link", { name: `Session ${sessions[0]}` })
    .first()
    .waitFor();
  await table.getByText(HOSTILE.slice(0, 20)).first().waitFor();
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(page.faults).toEqual([]);
});

test("files go into a folder one by one, each with the state of its analysis", async () => {
  const insights = insightsOf(it.app);
  const folder = await insights.folder({ name: "Old calls" });
  const { body } = await it.app.send(
    "GET",
    "/api/v1/insights/tool-configurations?search_fields=name_exact&search_field_values=code",
  );
  const workflow = await insights.workflow({
    source: "upload",
    insight_tool_ids: [body.items[0].id],
    conditions: { folder_list: [folder.id] },
  });
  await insights.activate(workflow.id);
  await page.goto(`/console/insights/folders/${folder.id}`);
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose recordings" }).click(),
  ]);
  await chooser.setFiles([
    { name: "call.txt", mimeType: "text/plain", buffer: Buffer.from("User: my code is B-1\n") },
    { name: "picture.png", mimeType: "image/png", buffer: Buffer.from("no sound at all") },
  ]);
  const upload = page.getByRole("list", { name: "Files of this upload" });
  await upload.getByText("uploaded").waitFor();
  await upload.getByText("refused").waitFor();
  await runInsights(it.app);
  const row = page.getByRole("row", { name: /call\.txt/ });
  await row.getByText(/done|failed/).waitFor();
  expect(page.faults).toEqual([]);
});

test("reports are drawn with their tables, for the days that are chosen", async () => {
  await page.goto("/console/reports");
  await page.locator("dl", { hasText: "Sessions" }).getByText("4", { exact: true }).first().waitFor();
  const byDay = page.locator("section", { has: page.getByRole("heading", { name: "By day" }) }).last();
  await byDay.locator("svg.recharts-surface").first().waitFor();
  await byDay.getByText("Table").click();
  expect(await byDay.getByRole("row").count()).toBe(1 + 4);
  await page.getByText("7 days").click();
  await page.waitForURL(/days=7/);
  await page.getByRole("tab", { name: "Insights" }).click();
  await page.getByRole("list", { name: "By insight: Outputs" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("an export is asked for, followed until it is ready, and its archives are links", async () => {
  await page.goto("/console/export");
  await page.getByRole("button", { name: "Ask for an export" }).click();
  await page.getByText("waits", { exact: true }).waitFor();
  const job = it.app.jobs.find(({ job: { name } }) => name === "make-takeout");
  const { id } = await it.app.db.selectFrom("takeouts").select("id").executeTakeFirstOrThrow();
  const never = new AbortController().signal;
  await job?.run({ takeout_id: id }, { job: { attempts: 1 }, stopping: never, abortSignal: never } as never);
  const archive = page.getByRole("link", { name: /^Fetch .*configuration.*\.zip/ });
  await archive.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), archive.click()]);
  expect(download.suggestedFilename()).toMatch(/\.zip$/);
  expect(page.faults).toEqual([]);
}, 300_000);
