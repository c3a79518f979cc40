import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { axeFindings, type ConsoleTest, createConsoleTest, saveReviewed } from "../harness/console.ts";
import { playRun } from "../harness/evaluations.ts";
import { playReplay, recordSession } from "../harness/replays.ts";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
  await migrateJobs(it.app.database.pool, silentLog);
});

/** Presses Run and plays what its jobs would; the page follows by itself. */
async function runTests(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run tests" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL(/\/tests\/runs\/\d+$/);
  await playRun(it.app, Number(/\d+$/.exec(page.url())?.[0]));
  await page.getByText("finished", { exact: true }).waitFor();
}

/** The receptionist with these tools. */
async function withTools(tools: string[]): Promise<void> {
  const { body: prompt } = await it.app.send("GET", "/api/v1/prompts/1");
  const { id, name, type, context, llm_config } = prompt;
  const saved = await it.app.send("PUT", "/api/v1/prompts/", { id, name, type, context, llm_config, tools });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
}

test("an author runs the demo's tests, breaks the agent, reads what fails now beside how it was, and mends it", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/");
  await page.getByRole("navigation").getByRole("link", { name: "Tests", exact: true }).click();
  await page.getByRole("link", { name: "Clinic receptionist" }).click();
  await runTests(page);
  await page.getByText("20 of 20 tests passed").waitFor();
  await page.getByText("between 84 % and 100 %").waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await withTools(["find_slots", "cancel_appointment", "hangup"]);
  await page.getByRole("link", { name: "Clinic receptionist" }).click();
  await page.getByText("The agent has no tool book_appointment").first().waitFor({ state: "hidden" });
  await runTests(page);
  await page.getByText("Worse", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Both conversations of Books the first free time" }).click();
  const pair = page.getByRole("dialog", { name: "Books the first free time" });
  await pair.getByRole("region", { name: "Run 1" }).getByText("DC-1A2B").first().waitFor();
  await pair.getByRole("region", { name: "Run 2" }).getByText("not met").first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await pair.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Books the first free time failed" }).click();
  await page.getByText("book_appointment was not called").first().waitFor();

  await withTools(["find_slots", "book_appointment", "cancel_appointment", "hangup"]);
  await page.getByRole("link", { name: "Clinic receptionist" }).click();
  await runTests(page);
  await page.getByText("Better", { exact: true }).waitFor();
  // Compared with the first run instead, nothing has changed.
  await page.getByRole("combobox", { name: "Run to compare with" }).click();
  await page.getByRole("option", { name: /^Run 1:/ }).click();
  await page.getByText("All 20 shared tests ended the same way.").waitFor();

  // What no model answered is no worse.
  const run_id = Number(/\d+$/.exec(page.url())?.[0]);
  await it.app.db.updateTable("test_results").set({ status: "error" }).where("run_id", "=", run_id).execute();
  await page.reload();
  await page.getByText("20 cases are left out: in one of the runs they ended in an error.").waitFor();
  expect(await page.getByText("no tests in common").count()).toBe(0);
  expect(page.faults).toEqual([]);
});

test("a session becomes a test, an expectation is added by hand, and what is wrong is told at its test", async () => {
  const talk = async (text: string | null) =>
    it.app.send("POST", "/api/v1/agents/test/messages", {
      service_name: "console",
      source: "someone",
      test_id: "for a test",
      agent_id: "1",
      text: text ?? "",
      session_start: text === null,
    });
  await talk(null);
  await talk("When are you open?");
  const { body } = await talk("bye, please hang up");
  const { session_id } = body.response.content;
  await it.app.send("POST", `/api/v1/sessions/${session_id}/end`);
  await it.app.db
    .updateTable("sessions")
    .set({ ended_at: new Date().toISOString() })
    .where("id", "=", session_id)
    .execute();

  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/sessions/${session_id}`);
  await page.getByRole("button", { name: "Make a test" }).click();
  const window = page.getByRole("dialog");
  await window.getByLabel("Name of the test").fill("Opening hours");
  const suites = async () => (await it.app.send("GET", "/api/v1/test_suites/")).body.total_count;
  const before = await suites();
  await window.getByRole("button", { name: "Make the test" }).click();
  await window.getByText("Choose a suite.").waitFor();
  await expect
    .poll(() => window.getByRole("combobox", { name: "Suite" }).getAttribute("aria-invalid"))
    .toBe("true");
  expect(await suites()).toBe(before);
  await window.getByText("New suite").click();
  await window.getByLabel("Name of the suite").fill("From sessions");
  await window.getByRole("button", { name: "Make the test" }).click();
  await page.getByRole("heading", { level: 1, name: "From sessions" }).waitFor();

  await page.getByRole("button", { name: "Opening hours" }).click();
  await expect
    .poll(() => page.getByLabel("Message 1", { exact: true }).inputValue())
    .toBe("When are you open?");
  await page.getByRole("button", { name: "Add expectation" }).click();
  const says = page.getByRole("textbox", { name: /^The agent says/ }).last();
  await says.fill("(unclosed");
  await page.getByRole("button", { name: "Review and save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/Enter a pattern/).waitFor();
  await page.getByText("has errors").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await says.fill("Monday to Friday");
  await saveReviewed(page);
  await runTests(page);
  await page.getByText("1 of 1 test passed").waitFor();

  // So does each of the sessions that were found and selected.
  await page.goto("/console/sessions?f_is_test=true&f_source=someone");
  await page.getByLabel("Select all rows of this page").check();
  await page.getByRole("button", { name: "Make 1 test" }).click();
  await window.getByRole("combobox", { name: "Suite" }).click();
  await page.getByRole("option", { name: "From sessions" }).click();
  await window.getByRole("button", { name: "Make", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "From sessions" }).waitFor();
  await page.getByRole("button", { name: `Session ${session_id}` }).waitFor();
  expect(page.faults).toEqual([]);
});

test("what a persona knows is typed key by key, and each fact keeps its name and its value", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/tests/new");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Callers");
  await page.getByRole("combobox", { name: "Agent" }).fill("Demo clinic");
  await page.getByRole("button", { name: "Add test" }).click();
  await page.getByLabel("Name of the test").fill("In a hurry");
  await page.getByText("Persona", { exact: true }).click();
  await page.getByLabel("Goal").fill("I need a cleaning.");
  for (const [row, fact, value] of [
    [1, "full name", "Ada Byron: the first"],
    [2, "phone number", "202 555 0147"],
  ]) {
    await page.getByRole("button", { name: "Add to Facts" }).click();
    await page.getByLabel(`Fact ${row} of Facts`).pressSequentially(String(fact));
    await page.getByLabel(`Value ${row} of Facts`).pressSequentially(String(value));
  }
  await page.getByLabel("The agent says, 1").fill("booked");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Suite created").or(page.getByText("Suite saved")).waitFor();
  const { body: found } = await it.app.send(
    "GET",
    "/api/v1/test_suites/?search_fields=name&search_field_values=Callers",
  );
  const { body } = await it.app.send("GET", `/api/v1/test_suites/${found.items[0].id}`);
  expect(body.cases[0].person.facts).toEqual({
    "full name": "Ada Byron: the first",
    "phone number": "202 555 0147",
  });
  expect(page.faults).toEqual([]);
});

test("a suite comes from a file, and who may only read runs and changes none", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.goto("/console/tests");
  const text = "name: From a file\nagent: Demo clinic\ncases:\n  - name: Greets\n    person: [hello]\n";
  const choose = async (content: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Import a file" }).click(),
    ]);
    await chooser.setFiles({
      name: "suite.yaml",
      mimeType: "application/yaml",
      buffer: Buffer.from(content),
    });
  };
  await choose(`${text}    expect: { sayd: [hi] }\n`);
  await page.getByText(/Line 6/).waitFor();
  await choose(text);
  await page.getByRole("heading", { level: 1, name: "From a file" }).waitFor();
  const { pathname } = new URL(page.url());

  const viewer = await it.open(await it.person("Viewer"));
  await viewer.goto(`${pathname}?view=tests`);
  await viewer.getByRole("button", { name: "Greets" }).click();
  await viewer.getByLabel("Name of the test").waitFor();
  for (const verb of ["Run tests", "Add test", "Remove this test", "Add expectation", "Review and save"])
    expect(await viewer.getByRole("button", { name: verb }).count(), verb).toBe(0);
  expect([...page.faults, ...viewer.faults]).toEqual([]);
});

test("an author replays recorded sessions with a draft that lost a tool, and reads both conversations beside the recording", async () => {
  const address = (await it.app.send("GET", "/api/v1/agents/1")).body;
  expect(address.name).toBe("Demo clinic");
  for (let n = 0; n < 7; n++)
    await recordSession(it.app, 1, ["When are you open?", "I want to cancel DC-1A2B"]);
  const page = await it.open(await it.person("Editor"));
  await withTools(["find_slots", "book_appointment", "hangup"]);
  await page.goto("/console/tests");
  await page.getByRole("link", { name: "Replays" }).click();
  await page.getByRole("button", { name: "Replay sessions" }).first().click();
  const form = page.getByRole("dialog");
  await form.getByRole("combobox", { name: "Agent" }).click();
  await page.getByRole("option", { name: "Demo clinic" }).click();
  await form.getByRole("button", { name: "Replay", exact: true }).click();
  await page.waitForURL(/\/tests\/replays\/\d+$/);
  await playReplay(it.app, Number(/\d+$/.exec(page.url())?.[0]));
  await page.getByText("finished", { exact: true }).waitFor();
  await page.getByText(/The candidate has no tool cancel_appointment, which 7 of 7/).waitFor();
  await page
    .getByRole("button", { name: /^Compare session/ })
    .first()
    .click();
  const pair = page.getByRole("dialog");
  for (const lane of ["Recorded", "Baseline", "Candidate"])
    await pair
      .getByRole("region", { name: lane })
      .getByText("We are open Monday to Friday")
      .first()
      .waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(page.faults).toEqual([]);
  await withTools(["find_slots", "book_appointment", "cancel_appointment", "hangup"]);
});

test("a run of more conversations than a page of a list holds shows every test with all its repetitions", async () => {
  const { body: run } = await it.app.send("POST", "/api/v1/test_suites/1/runs", { repetitions: 60 });
  const page = await it.open(await it.person("Editor"));
  await page.goto(`/console/tests/runs/${run.id}`);
  await expect.poll(() => page.getByRole("button", { name: /0 of 60 passed/ }).count()).toBe(20);
  expect(page.faults).toEqual([]);
});
