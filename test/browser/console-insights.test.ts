import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { json } from "../../src/db/database.ts";
import { type ConsolePage, type ConsoleTest, createConsoleTest } from "../harness/console.ts";
import { insightsOf, llmArguments, pastSession, runInsights } from "../harness/insights.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">{{constructor}}`;
const LENGTH_s = 60;
/** Since 2026-06-01. */
const RETIRED = "gemini-2.0-flash";

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
  await page.getByRole("combobox", { name: "Type", exact: true }).click();
  await page.getByRole("option", { name: "Regular expression" }).click();
  await page.getByLabel("Pattern").fill("code is (");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Pattern").fill("code is ([^{]+)");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: "code" }).waitFor();

  await page.getByLabel("Session ID").fill(String(sessions[0]));
  await page.getByRole("button", { name: "Try it" }).click();
  const found = page.getByRole("region", { name: "Result" });
  await found.getByText(/"matched": true/).waitFor();
  await expect.poll(() => found.innerText()).toContain("onerror");
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  await page.getByText(`In session ${sessions[0]}:`, { exact: true }).waitFor();
  it.app.clock.advance(1000);
  await page.getByRole("textbox", { name: "Description" }).fill("What stands behind the code");
  await save();
  await page.getByText(`In session ${sessions[0]}, before the tool was saved anew:`).waitFor();

  expect((await it.app.send("GET", "/api/v1/insights/")).body.items).toEqual([]);
  await page.goto("/console/insights?view=results");
  await page.getByText("No results in this period.").waitFor();
  await page.getByText("90 days").click();
  await page.waitForURL(/days=90/);
  expect(page.faults).toEqual([]);
});

test("another kind of tool and back again is the tool as it is stored, with what the form does not show of it", async () => {
  const outputs = [{ name: "topic", type: "string", description: "What was wanted." }];
  const stored = await insightsOf(it.app).tool({ tool_arguments: llmArguments({ outputs }) });
  await page.goto(`/console/insights/tools/${stored.id}`);
  const choose = async (kind: string) => {
    await page.getByRole("combobox", { name: "Type", exact: true }).click();
    await page.getByRole("option", { name: kind }).click();
  };
  await choose("Regular expression");
  await page.getByLabel("Pattern").fill("x");
  await choose("Model");
  await expect.poll(() => page.getByRole("button", { name: "Review and save" }).isDisabled()).toBe(true);
  await page.getByLabel("Name of answer 1").fill("wish");
  await save();
  const { body } = await it.app.send("GET", `/api/v1/insights/tool-configurations/${stored.id}`);
  expect(body.tool_arguments).toEqual(llmArguments({ outputs: [{ ...outputs[0], name: "wish" }] }));
  expect(page.faults).toEqual([]);
});

test("a model that is retired is named when the tool can't be saved for it", async () => {
  const { id } = await insightsOf(it.app).tool();
  const tool_arguments = json(llmArguments({ provider: "google", model: RETIRED }));
  await it.app.db.updateTable("insight_tools").set({ tool_arguments }).where("id", "=", id).execute();
  await page.goto(`/console/insights/tools/${id}`);
  await page.getByRole("textbox", { name: "Description" }).fill("Changed");
  await save();
  await page
    .getByRole("alert", { name: "This can't be saved yet" })
    .getByText(/is retired/)
    .waitFor();
  expect(page.faults).toEqual([]);
});

test("a workflow over recordings shows the prompts that keep it from taking any", async () => {
  const { id } = await insightsOf(it.app).workflow({
    source: "upload",
    conditions: { prompt_list: ["Booking"] },
  });
  await page.goto(`/console/insights/workflows/${id}?view=settings`);
  await page.getByText("Booking", { exact: true }).waitFor();
  await page.getByText(/Recordings have no prompt/).waitFor();
  expect(page.faults).toEqual([]);
});

test("any folder can be chosen by its name, however many there are, and keeps its name when others are looked for", async () => {
  const { id: folder_id } = await insightsOf(it.app).folder({ name: "zz the last" });
  await sql`
    insert into insight_folders (sub_organization_id, name, created_at, updated_at, last_updated_by)
    select sub_organization_id, 'folder ' || n, created_at, updated_at, last_updated_by
    from insight_folders, generate_series(1, 210) as n where id = ${folder_id}`.execute(it.app.db);
  const { id } = await insightsOf(it.app).workflow({ source: "upload" });
  await page.goto(`/console/insights/workflows/${id}?view=settings`);
  const folders = page.getByRole("combobox", { name: "Folders" });
  await folders.fill("the last");
  await page.getByRole("option", { name: "zz the last" }).click();
  await folders.fill("folder 17");
  await page.getByRole("option", { name: "folder 17", exact: true }).waitFor();
  await page.getByText("zz the last", { exact: true }).first().waitFor();
  await page.getByRole("combobox", { name: "Tool to add" }).fill("summary");
  await page.getByRole("option", { name: "summary-tool" }).click();
  await page.getByText("Filters (optional)").click();
  await save();
  const { body } = await it.app.send("GET", `/api/v1/insights/workflows/${id}`);
  expect(body.conditions.folder_list).toEqual([folder_id]);
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
  await page.getByRole("button", { name: "Remove summary-tool" }).click();
  await page.getByLabel(/^From/).fill("2026-11-01 00:00");
  await page.getByLabel("Maximum duration").fill("0");
  await page.getByLabel("Minimum duration").fill("5");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Enter no less than min duration.").waitFor();
  await page.getByLabel("Maximum duration").fill("");
  await page.getByRole("button", { name: "Create" }).click();

  await page.getByText("Activation estimate").waitFor();
  await page.locator("dl", { hasText: "Older conversations, now" }).getByText("4", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Activate" }).isDisabled()).toBe(true);
  await page.getByText("Analyzes conversations that began on or after").waitFor();
  const rate = page.getByLabel("Limit per minute");
  await rate.pressSequentially("-");
  expect(await rate.inputValue()).toBe("");
  await rate.fill("600");
  await page.getByRole("button", { name: "Set the rate" }).click();
  await page.getByText("Rate set").waitFor();
  await page.getByRole("checkbox", { name: /I accept the cost/ }).check();
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
  await page.getByRole("row", { name: /Approved 4/ }).waitFor();
  await page.getByRole("row", { name: /Used 4/ }).waitFor();

  await page.getByRole("tab", { name: "Executions" }).click();
  await page.getByRole("link", { name: `Session ${sessions[0]}` }).waitFor();
  await expect.poll(() => page.getByText("done", { exact: true }).count()).toBe(4);
  expect(page.faults).toEqual([]);
});

test("a backfill that has nothing to take up says so, and one that was stopped does not call itself finished", async () => {
  const insights = insightsOf(it.app);
  const { id: tool_id } = await insights.tool();
  const { id } = await insights.workflow({
    insight_tool_ids: [tool_id],
    start_datetime: it.app.clock.now().toISOString(),
  });
  await insights.activate(id);
  await page.goto(`/console/insights/workflows/${id}`);
  await page.getByText(/^0 of 0 done/).waitFor();
  await page.getByRole("button", { name: "Deactivate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("canceled", { exact: true }).waitFor();
  await page.getByText(/Stopped /).waitFor();
  expect(page.faults).toEqual([]);
});

test("results are bars with their numbers, with a table of every one; hostile answers are texts", async () => {
  await page.goto("/console/insights?view=results&insight=matched");
  const bars = page.getByRole("list", { name: "Answers of matched" });
  await bars.waitFor();
  await expect
    .poll(() => bars.getByRole("listitem").allInnerTexts())
    .toEqual([expect.stringMatching(/true\s+4/)]);
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
  await row.getByText("done").waitFor();
  // Else choosing the same file again would be no change.
  expect(await page.locator("input[type=file]").inputValue()).toBe("");

  // The newest work of a folder is read at once; what went before is asked for by itself.
  await sql`
    with file as (
      insert into insight_files (sub_organization_id, folder_id, filename, object_key, media_type, size_bytes, call_id,
        created_at)
      select sub_organization_id, folder_id, 'later.txt', 'nowhere', media_type, size_bytes, 'later', created_at
      from insight_files where folder_id = ${folder.id}
      returning *)
    insert into insight_executions (sub_organization_id, workflow_id, upload_file_id, cause, priority, status, created_at,
      run_at)
    select sub_organization_id, ${workflow.id}, id, 'manual', 0, 'COMPLETED', created_at, created_at
    from file, generate_series(1, 200)`.execute(it.app.db);
  await page.reload();
  await page
    .getByRole("row", { name: /later\.txt/ })
    .getByText("done")
    .waitFor();
  await row.getByText("done").waitFor();
  expect(page.faults).toEqual([]);
});

async function save(): Promise<void> {
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

test("reports are drawn with their tables, for the days that are chosen", async () => {
  await page.goto("/console/reports");
  await page.locator("dl", { hasText: "Sessions" }).getByText("4", { exact: true }).first().waitFor();
  const byDay = page.locator("section", { has: page.getByRole("heading", { name: "By day" }) }).last();
  await byDay.locator("svg.recharts-surface").first().waitFor();
  await byDay.getByText("Table").click();
  await expect.poll(() => byDay.getByRole("row").count()).toBe(1 + 4);
  await page.getByText("7 days").click();
  await page.waitForURL(/days=7/);
  await page.getByRole("tab", { name: "Insights" }).click();
  await page.getByRole("list", { name: "By insight: Outputs" }).waitFor();
  expect(page.faults).toEqual([]);
});

test("an export is asked for, followed until it is ready, says what it lacks, and its archives are links", async () => {
  const { id: session_id } = await it.app.db
    .selectFrom("sessions")
    .select("id")
    .where("sub_organization_id", "=", it.app.admin.sub_organization_id)
    .orderBy("id")
    .limit(1)
    .executeTakeFirstOrThrow();
  await it.app.db
    .insertInto("recordings")
    .values({ session_id, file_name: "elsewhere.wav", content_type: "audio/wav", created_at: "2026-11-18" })
    .execute();
  await page.goto("/console/export");
  await page.getByRole("navigation", { name: "Pages of Insights" }).waitFor();
  await page.getByRole("button", { name: "New export" }).click();
  await page.getByText("waits", { exact: true }).waitFor();
  const job = it.app.jobs.find(({ job: { name } }) => name === "make-takeout");
  const { id } = await it.app.db.selectFrom("takeouts").select("id").executeTakeFirstOrThrow();
  const never = new AbortController().signal;
  await job?.run({ takeout_id: id }, { job: { attempts: 1 }, stopping: never, abortSignal: never } as never);
  const archive = page.getByRole("link", { name: /^Fetch .*configuration.*\.zip/ });
  await archive.waitFor();
  const { missing_recordings: missing } = await it.app.db
    .selectFrom("takeouts")
    .select("missing_recordings")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  expect(missing).toBeGreaterThan(0);
  await page.getByText(new RegExp(`^${missing} recordings? (is|are) not in this export$`)).waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), archive.click()]);
  expect(download.suggestedFilename()).toMatch(/\.zip$/);
  expect(page.faults).toEqual([]);
});
