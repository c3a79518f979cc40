import { setTimeout as sleep } from "node:timers/promises";
import { API_KEY_HEADER } from "../api/server.ts";
import type { App } from "../app/parts.ts";
import { type MovedClock, movedClock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { Scenario } from "../simulator/people.ts";
import { openDemoProgram } from "./demo-program.ts";
import { INTERRUPTED, readerGone, stopSignal } from "./stop-signal.ts";

/** A Wednesday, ten minutes before nine in New York. */
const START = "2026-11-18T13:50:00Z";
const ZONES = [
  ["New York", "America/New_York", "212"],
  ["Chicago", "America/Chicago", "312"],
  ["Denver", "America/Denver", "303"],
  ["Phoenix", "America/Phoenix", "602"],
  ["Los Angeles", "America/Los_Angeles", "213"],
  ["Honolulu", "Pacific/Honolulu", "808"],
] as const;
const PEOPLE = 200;
const SPEED = 600;
/** While calls are under way the clock goes 20 times as fast as life: time enough for every turn of an agent. */
const CALL_STEP_ms = 1_000;
const CALL_SPEED = 20;
/** Of the clock; a call that takes longer goes on beside those that follow. */
const LONGEST_WAIT_ms = 60_000;
const STEP_ms = 180_000;
/** Between two pictures of the board: half an hour of the clock. */
const BOARD_steps = 10;
/** Half a day: everything is over long before, and a demo that goes wrong ends all the same. */
const MOST_steps = 240;

/**
 * A campaign to watch: 200 people who don't exist, in six time zones, called by the demo's reminder agent through the
 * carrier simulator. It runs on a database of its own that is gone afterwards, on a clock that goes 600 times as fast as
 * life, and 20 times while calls are under way, so that no turn of an agent is cut short.
 */
export async function demoCampaign(): Promise<number> {
  const interrupt = stopSignal();
  const stop = AbortSignal.any([interrupt, readerGone()]);
  try {
    await run(stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return interrupt.aborted ? INTERRUPTED : 0;
}

async function run(stop: AbortSignal): Promise<void> {
  await using open = new AsyncDisposableStack();
  const clock = movedClock(START);
  const simulation = { scenario: Scenario.parse({}), speed: SPEED };
  const { app, database, token } = await openDemoProgram(open, { stop, clock, simulation });
  const { db } = database;

  const call = callerOf(app, token);
  const campaigns = await seedCampaigns(call);
  print(`${PEOPLE} simulated people in ${ZONES.length} time zones. Nobody is really called.\n`);
  await play({ app, db, clock, call, campaigns, stop });
  await explain(call, campaigns);
  await table(call, campaigns);
}

type DemoRequest = (method: "GET" | "POST", path: string, body?: object) => Promise<Body>;
// biome-ignore lint/suspicious/noExplicitAny: the API's answers, as any client reads them
type Body = any;

/** The demo is a client like any other. */
const callerOf =
  (app: App, token: string): DemoRequest =>
  async (method, url, body) => {
    const answer = await app.api.server.inject({
      method,
      url: `/api/v1${url}`,
      headers: { [API_KEY_HEADER]: token, ...(body && { "content-type": "application/json" }) },
      ...(body && { payload: JSON.stringify(body) }),
    });
    if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.body}`);
    return answer.json();
  };

type DemoCampaign = { id: number; city: string; batch_id: string };

/** An agent, a number, a campaign and its people in each zone. */
async function seedCampaigns(call: DemoRequest): Promise<DemoCampaign[]> {
  const { items } = await call("GET", "/agents/?limit=100");
  const reminder = items.find(({ name }: { name: string }) => name === "Demo reminder");
  const channel = await call("POST", "/channels/", {
    name: "Simulated telephone",
    channel_service: "twilio",
    config: {},
  });
  const campaigns: DemoCampaign[] = [];
  for (const [index, [city, timezone, area_code]] of ZONES.entries()) {
    const agent = await call("POST", "/agents/", {
      name: `Reminder ${city}`,
      type: reminder.type,
      prompt_id: reminder.prompt_id,
      custom_message_id: reminder.custom_message_id,
      timezone,
      prompt_tool_defaults: [],
      languages: [],
      variables: {},
      tool_headers: null,
    });
    const { phone_number } = await call("POST", `/channels/twilio/${channel.id}/numbers`, {
      area_code,
      friendly_name: city,
    });
    await call("POST", `/channels/${channel.id}/targets`, {
      agent_id: agent.id,
      channel_id: channel.id,
      target: phone_number,
      target_mode: "voice",
    });
    const { id } = await call("POST", "/outbound/campaigns", {
      campaign_name: `Reminders ${city}`,
      campaign_variables: { "vars.visit_date": "tomorrow" },
      source: phone_number,
      caller_id: phone_number,
      active_days: ["mon", "tue", "wed", "thu", "fri"],
      daily_start_time: "09:00",
      daily_end_time: "12:00",
      hourly_rate: 20,
      retry_count: 1,
      retry_interval: "30m",
      voicemail_detection: {},
      allowed_line_types: ["mobile", "voip"],
    });
    const batch_id = `reminders-${area_code}`;
    await call("POST", "/outbound/batches", { batch_id, campaign_id: id });
    await call("POST", `/outbound/batches/${batch_id}/requests`, peopleOf(index, area_code));
    campaigns.push({ id, city, batch_id });
  }
  return campaigns;
}

/** What each of them does is told by the last two digits of their number (docs/simulator.md). */
function peopleOf(zone: number, area_code: string) {
  const numbers = Array.from({ length: PEOPLE }, (_, i) => i).filter((i) => i % ZONES.length === zone);
  return numbers.map((i) => ({
    reference_id: `person-${i}`,
    target: `+1${area_code}555${String(2000 + i)}`,
    request_variables: { "vars.name": `Person ${i}` },
  }));
}

type Playing = {
  app: App;
  db: Db;
  clock: MovedClock;
  call: DemoRequest;
  campaigns: DemoCampaign[];
  stop: AbortSignal;
};

async function play({ app, db, clock, call, campaigns, stop }: Playing): Promise<void> {
  for (let step = 0; step < MOST_steps; step++) {
    stop.throwIfAborted();
    const began = performance.now();
    await app.dialer.tick();
    const boards = step % BOARD_steps === 0 ? await boardsOf(call, campaigns) : null;
    if (boards) printBoard(clock, campaigns, boards);
    const passed_ms = await callsOver(db, clock, stop);
    if (boards?.every(isDone)) return;
    clock.advance(STEP_ms - passed_ms);
    await sleep(Math.max(0, STEP_ms / SPEED - (performance.now() - began)));
  }
}

const boardsOf = (call: DemoRequest, campaigns: DemoCampaign[]): Promise<Body[]> =>
  Promise.all(campaigns.map(({ id }) => call("GET", `/outbound/campaigns/${id}/board`)));

const isDone = ({ status_counts }: Body): boolean =>
  !status_counts.PENDING && !status_counts.INITIATED && !status_counts.CONNECTED;

/** Lets calls come to their end; resolves with how far the clock went on meanwhile. */
async function callsOver(db: Db, clock: MovedClock, stop: AbortSignal): Promise<number> {
  let passed_ms = 0;
  while (passed_ms < LONGEST_WAIT_ms && !stop.aborted) {
    const live = await db
      .selectFrom("attempts")
      .select("key")
      .where("state", "<>", "ENDED")
      .limit(1)
      .execute();
    if (live.length === 0) break;
    await sleep(CALL_STEP_ms / CALL_SPEED);
    clock.advance(CALL_STEP_ms);
    passed_ms += CALL_STEP_ms;
  }
  return passed_ms;
}

function printBoard(clock: MovedClock, campaigns: DemoCampaign[], boards: Body[]): void {
  print(`${clock.now().toISOString().slice(11, 16)} UTC`);
  for (const [index, { city }] of campaigns.entries()) {
    const { status_counts, batches, latest } = boards[index];
    const counts = Object.entries(status_counts).map(([status, n]) => `${n} ${status.toLowerCase()}`);
    const [batch] = batches;
    print(`  ${city.padEnd(12)} ${counts.join(", ")}`);
    print(`  ${"".padEnd(12)} ${batch.next_step.text}`);
    if (latest[0] && batch.next_step.reason !== "closed")
      print(`  ${"".padEnd(12)} ${latest[0].reference_id}: ${latest[0].text}`);
  }
  print("");
}

/** One person of each ending, with all that happened and why. */
async function explain(call: DemoRequest, campaigns: DemoCampaign[]): Promise<void> {
  print(
    "How it ended for some of them, by GET /api/v1/outbound/batches/{batch_id}/requests/{reference_id}/trace:\n",
  );
  const seen = new Set<string>();
  for (const { batch_id } of campaigns) {
    for (const result of await call("GET", `/outbound/batches/${batch_id}/results`)) {
      const ending = `${result.request_status} ${result.channel_manager_status}`;
      if (seen.has(ending)) continue;
      seen.add(ending);
      const trace = await call("GET", `/outbound/batches/${batch_id}/requests/${result.reference_id}/trace`);
      print(`${result.reference_id} (${ending})`);
      for (const { text } of trace.attempts) print(`  ${text}`);
      print(`  ${trace.next_step.text}`);
    }
  }
}

const OUTCOMES = ["reached", "voicemail_left", "not_reached", "not_tried", "open"] as const;

/** What came of it, a line a campaign and one for all. */
async function table(call: DemoRequest, campaigns: DemoCampaign[]): Promise<void> {
  const columns = ["people", ...OUTCOMES.map((name) => name.replaceAll("_", " ")), "attempts"];
  const rows: { city: string; cells: number[] }[] = [];
  for (const { id, city, batch_id } of campaigns) {
    const { outcome_counts } = await call("GET", `/outbound/campaigns/${id}/board`);
    const results: { attempt_count: number }[] = await call("GET", `/outbound/batches/${batch_id}/results`);
    const attempts = results.reduce((sum, { attempt_count }) => sum + attempt_count, 0);
    rows.push({
      city,
      cells: [results.length, ...OUTCOMES.map((name) => outcome_counts[name] as number), attempts],
    });
  }
  const all = columns.map((_, index) => rows.reduce((sum, { cells }) => sum + (cells[index] ?? 0), 0));
  print("\nAll in all:\n");
  const line = (name: string, cells: (string | number)[]) =>
    print(`  ${name.padEnd(12)}${cells.map((cell) => String(cell).padStart(16)).join("")}`);
  line("", columns);
  for (const { city, cells } of rows) line(city, cells);
  line("all", all);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
