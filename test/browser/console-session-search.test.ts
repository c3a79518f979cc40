import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { json } from "../../src/db/database.ts";
import {
  axeFindings,
  type ConsoleTest,
  createConsoleTest,
  expectNoSidewaysScroll,
} from "../harness/console.ts";
import { insertSession } from "../harness/rows.ts";

const DAY_MS = 86_400_000;
const HOSTILE = "<img src=x onerror=window.hit=1>";

let it: ConsoleTest;
beforeAll(async () => {
  it = await createConsoleTest();
});

/** A call that is over and indexed. */
async function call(source: string, said: string, days_ago: number, failed: boolean): Promise<number> {
  const at = new Date(it.app.clock.now().getTime() - days_ago * DAY_MS).toISOString();
  const of = { channel: "voice", channel_manager_type: "voice_twilio_v1", duration: 61, end_reason: "user" };
  const id = await insertSession(it.app, { ...of, source, timestamp: at, ended_at: at });
  await it.app.db
    .insertInto("session_messages")
    .values({ session_id: id, seq: 0, turn_index: 0, role: "user", text: said, lang: "en-US", timestamp: at })
    .execute();
  await it.app.db
    .insertInto("session_tool_calls")
    .values({
      session_id: id,
      seq: 1,
      turn_index: 0,
      round: 0,
      tool_call_id: `call-${id}`,
      tool_name: "book_appointment",
      arguments: json({}),
      error: failed ? "The calendar answered 500" : null,
      timestamp: at,
      duration_ms: 20,
    })
    .execute();
  const job = it.app.jobs.find((one) => one.job.name === "index-session");
  await job?.run({ session_id: id }, {} as never);
  return id;
}

test("an operator finds the call in which the booking tool failed last week, and reads its neighbours", async () => {
  const failed = await call("+14155550101", `I need an appointment. ${HOSTILE}`, 3, true);
  const before = await call("+14155550102", "A cleaning, please.", 5, true);
  await call("+14155550103", "Monday is fine.", 2, false);
  await call("+14155550104", "Long ago.", 20, true);

  const page = await it.open(await it.person("Editor"));
  await page.clock.setFixedTime(it.app.clock.now());
  await page.goto("/console/");
  let clicks = 0;
  const click = async (role: "link" | "option" | "combobox" | "button" | "menuitem", name: string) => {
    await page.getByRole(role, { name, exact: true }).click();
    clicks++;
  };
  await click("link", "Sessions");
  await click("combobox", "Failed tool");
  await click("option", "book_appointment");
  await click("combobox", "Period");
  await click("option", "Last 7 days");
  await page.getByText("1–2 of 2").waitFor();
  await page.getByText("I need an appointment.").waitFor();
  // The screen is 1280 px wide, and the last column ends on it.
  const list = page.getByRole("region", { name: "Sessions" });
  const { agent, clipped } = await list.evaluate((box) => ({
    agent: box.querySelector('td[data-label="Agent"] a')?.getClientRects().length,
    clipped: box.scrollWidth - box.clientWidth,
  }));
  expect([agent, clipped]).toEqual([1, 0]);
  expect(await axeFindings(page)).toEqual([]);
  await click("link", "+14155550101");
  await page.getByRole("heading", { name: `Session ${failed}` }).waitFor();
  await page.getByRole("button", { name: /book_appointment/ }).waitFor();
  process.stdout.write(`the call in which the booking tool failed last week: found in ${clicks} clicks\n`);
  expect(clicks).toBeLessThanOrEqual(6);

  await page.getByRole("link", { name: "Next", exact: true }).click();
  await page.getByRole("heading", { name: `Session ${before}` }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Next", exact: true }).isDisabled()).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Previous", exact: true }).click();
  await page.getByRole("heading", { name: `Session ${failed}` }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sessions", exact: true }).click();
  await page.getByText("1–2 of 2").waitFor();
  expect(page.faults).toEqual([]);
});

test("a label that was begun for one session is not on the page of its neighbour, which was read before", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.clock.setFixedTime(it.app.clock.now());
  await page.goto("/console/sessions?f_failed_tool=book_appointment&last=7");
  await page.getByRole("link", { name: "+14155550101", exact: true }).click();
  const first = await page.getByRole("heading", { level: 1, name: /^Session \d/ }).innerText();
  await page.getByRole("link", { name: "Next", exact: true }).click();
  await page.getByRole("heading", { name: first, exact: true }).waitFor({ state: "detached" });
  const comment = page.getByRole("textbox", { name: "Comment" });
  await comment.fill("The wrong day");
  await page.getByRole("link", { name: "Previous", exact: true }).click();
  await page.getByRole("heading", { name: first, exact: true }).waitFor();
  expect(await comment.inputValue()).toBe("");
  expect(page.faults).toEqual([]);
});

test("words that were said are found and marked, and what people said stays text", async () => {
  const page = await it.open(await it.person("Viewer"));
  await page.clock.setFixedTime(it.app.clock.now());
  await page.goto("/console/sessions");
  await page.getByLabel("Words said").fill("appointments");
  await page.getByText("1–1 of 1").waitFor();
  await page.locator("mark", { hasText: "appointment" }).waitFor();
  expect(await page.evaluate("window.hit")).toBeUndefined();
  await page.getByLabel("Words said").fill("-monday");
  await page.getByText("Add a word to find").waitFor();
  expect(page.faults).toEqual([]);
});

test("a view is saved with its search and columns, opened by others once shared, and exported as it is shown", async () => {
  const page = await it.open(await it.person("Editor"));
  await page.clock.setFixedTime(it.app.clock.now());
  await page.goto("/console/sessions?f_failed_tool=*&last=7&cols=timestamp,title,cost_usd");
  await page.getByText("1–2 of 2").waitFor();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  await page.getByLabel("Name").fill("Failed bookings");
  await page.getByLabel("Share with everybody").check();
  await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
  await page.getByRole("button", { name: "Failed bookings" }).waitFor();

  await page.getByLabel("Select all rows of this page").check();
  await page.getByText("2 selected").waitFor();
  await page
    .getByRole("checkbox", { name: /^Select row/ })
    .first()
    .uncheck();
  const selection = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export as CSV" }).click();
  const selected = readFileSync(await (await selection).path(), "utf8");
  expect(selected.trimEnd().split("\r\n")).toHaveLength(2);

  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "These sessions as CSV" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  expect(text.trimEnd().split("\r\n")).toHaveLength(3);

  const other = await it.open(await it.person("Viewer"));
  await other.clock.setFixedTime(it.app.clock.now());
  await other.goto("/console/sessions");
  await other.getByRole("button", { name: "Views" }).click();
  expect(await other.getByRole("menuitem", { name: "Save this view" }).count()).toBe(0);
  await other.getByRole("menuitem", { name: "Failed bookings" }).click();
  await other.getByRole("columnheader", { name: "Cost" }).waitFor();
  await other.getByText("1–2 of 2").waitFor();
  await other.getByRole("button", { name: "More filters" }).click();
  expect(await axeFindings(other)).toEqual([]);
  await other.setViewportSize({ width: 320, height: 700 });
  await expectNoSidewaysScroll(other);
});

test("bars of dashboards open the sessions that they count", async () => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from sessions where channel = 'voice' and not is_test`.execute(it.app.db);
  await insertSession(it.app, { channel: "chat" });
  const page = await it.open(await it.person("Viewer"));
  await page.clock.setFixedTime(it.app.clock.now());
  await page.goto("/console/reports?view=session_summary&days=30");
  const channels = page.getByRole("list", { name: "By channel: Sessions" });
  await channels.getByRole("link", { name: "voice" }).click();
  await page.getByText(`1–${rows[0]?.n} of ${rows[0]?.n}`).waitFor();
  expect(new URL(page.url()).searchParams.get("f_channel")).toBe("voice");
});
