import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { json } from "../../../src/db/database.ts";
import { entriesOf } from "../../../src/executions/output-columns.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insertSession } from "../../harness/rows.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  const tool = await app.db.selectFrom("insight_tools").select("id").limit(1).executeTakeFirstOrThrow();
  const index = app.jobs.find(({ job }) => job.name === "index-session")!;
  for (const { day, hour, rated, found, called, answered, ...session } of fc.sample(aSession, 60)) {
    const began = new Date(Date.parse(`2026-10-${day}T00:00:00Z`) + hour * 1_800_000);
    const ended = new Date(began.getTime() + session.duration * 1_000);
    const session_id = await insertSession(app, {
      ...session,
      timestamp: began.toISOString(),
      ended_at: ended.toISOString(),
      last_activity_at: ended.toISOString(),
    });
    for (const [seq, failed] of called.entries())
      await app.db
        .insertInto("session_tool_calls")
        .values({
          session_id,
          seq,
          turn_index: 1,
          round: 0,
          tool_call_id: `call-${seq}`,
          tool_name: "book",
          arguments: "{}",
          timestamp: began.toISOString(),
          error: failed ? "No" : null,
          duration_ms: 1,
        })
        .execute();
    for (const duration_ms of answered)
      await app.db
        .insertInto("session_trace")
        .values({
          session_id,
          turn_index: 1,
          category: "turn" as const,
          label: "turn",
          duration_ms,
          measurement_start: began.toISOString(),
          timestamp: ended.toISOString(),
        })
        .execute();
    await judged(session_id, tool.id, { rated, found }, ended);
    await index.run({ session_id }, {} as never);
  }
  // One that still runs is counted by no figure, though it is rated and analysed already.
  const began = new Date("2026-10-25T12:00:00Z");
  const running = { timestamp: began.toISOString(), agent_id: 1, agent_version: 1, channel: "chat" };
  const verdict = { rated: [["human-rating", "BAD"] as const], found: ["Bad"] };
  await judged(await insertSession(app, running), tool.id, verdict, began);
});

type Verdict = {
  rated: readonly (readonly ["auto-rating" | "human-rating", "GOOD" | "OK" | "BAD"])[];
  found: readonly (string | string[])[];
};
/** Each value is followed by another that the offline model made up. */
async function judged(session_id: number, insight_tool_id: number, { rated, found }: Verdict, at: Date) {
  const { sub_organization_id } = app.admin;
  const timestamp = at.toISOString();
  for (const [type, code] of rated)
    await app.db
      .insertInto("session_labels")
      .values({
        sub_organization_id,
        session_id,
        type,
        code,
        user_email: "ann@example.com",
        timestamp,
      })
      .execute();
  for (const value of found)
    for (const [model, rating, entries] of [
      ["gpt-6-luna", typeof value === "string" ? value : JSON.stringify(value), entriesOf(value)],
      ["scripted", value === "Bad" ? "Good" : "Bad", null],
    ] as const)
      await app.db
        .insertInto("insight_outputs")
        .values({
          sub_organization_id,
          session_id,
          insight_tool_id,
          insight_tool_version: 1,
          model,
          insight_key: "rating",
          string_value: rating,
          json_value: json({ rating }),
          entries,
          created_at: timestamp,
          updated_at: timestamp,
        })
        .execute();
}

const LONG_ENTRY = "A list may be longer than any value, and its entries count.";

/** Around the night in which Berlin's clocks go back, at half hours, so that some begin with a day or an hour. */
const aSession = fc.record({
  day: fc.constantFrom(24, 25, 26),
  hour: fc.integer({ min: 0, max: 47 }),
  duration: fc.integer({ min: 1, max: 7_200 }),
  agent_id: fc.constantFrom(1, 2),
  agent_version: fc.constantFrom(null, 1, 2),
  channel: fc.constantFrom("chat", "voice"),
  end_reason: fc.constantFrom("user", "agent", "transfer", "error"),
  is_test: fc.constantFrom(false, false, false, true),
  called: fc.array(fc.boolean(), { maxLength: 2 }),
  answered: fc.array(fc.integer({ min: 1, max: 9_000 }), { maxLength: 2 }),
  rated: fc.array(
    fc.tuple(
      fc.constantFrom("auto-rating" as const, "human-rating" as const),
      fc.constantFrom("GOOD" as const, "OK" as const, "BAD" as const),
    ),
    { maxLength: 3 },
  ),
  found: fc.array(
    fc.oneof(
      fc.constantFrom("Good", "Bad", "A text too long to be a value. ".repeat(3)),
      fc.subarray(["Bad", "late", LONG_ENTRY]),
    ),
    { maxLength: 3 },
  ),
});

type Figure = { value: number | null; count: number; search: FigureSearch; label?: string };
type FigureSearch = {
  search_fields: string[];
  search_field_values: string[];
  start_datetime: string;
  end_datetime: string;
};

const figuresOf = async (tile: object) => {
  const period = {
    start_datetime: "2026-10-24T00:00:00+02:00",
    end_datetime: "2026-10-26T23:00:00Z",
    timezone: "Europe/Berlin",
  };
  const { status, body } = await app.send("POST", "/api/v1/boards/tile_figures", { tile, period });
  expect({ status, body }).toMatchObject({ status: 200, body: { problem: null } });
  return body as { total: Figure; points: Figure[] };
};

async function foundBy({ search_fields, search_field_values, ...span }: FigureSearch): Promise<number> {
  const query = new URLSearchParams({ ...span, limit: "1" });
  for (const field of search_fields) query.append("search_fields", field);
  for (const value of search_field_values) query.append("search_field_values", value);
  const { status, body } = await app.send("GET", `/api/v1/sessions/search?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.total_count;
}

const VALUES = [
  ...["none", "agent", "version", "channel", "end_reason", "label"].map((by) => ({ by })),
  { by: "insight", insight: "rating" },
];
const SESSIONS = { name: "sessions" };
const SHARES = [
  ...["errors", "hand_overs", "tool_failures"].map((name) => ({ name })),
  { name: "insight_rate", insight: "rating", value: "Bad" },
];

test("what the offline model made up is counted by no figure", async () => {
  const metric = { name: "insight_rate", insight: "rating", value: "Bad" };
  const { total } = await figuresOf({ metric });
  const { rows } = await app.database.pool.query(`
    select count(*)::int as count, count(*) filter (where rating = 'Bad' or 'Bad' = any(entries))::int as bad from (
      select distinct on (o.session_id) o.json_value ->> 'rating' as rating, o.entries from insight_outputs o join session_facts f using (session_id)
      where o.model = 'gpt-6-luna' and not f.is_test
        and f.began_at >= '2026-10-24T00:00:00+02:00' and f.began_at < '2026-10-26T23:00:00Z' and (length(o.json_value ->> 'rating') <= 60 or o.entries is not null)
      order by o.session_id, o.id desc) as each`);
  expect({ count: total.count, bad: Math.round((total.value ?? 0) * total.count) }).toEqual(rows[0]);
});

test("a list counts by its entries, however long it is, and once in the total", async () => {
  const { total, points } = await figuresOf({
    metric: SESSIONS,
    split: { by: "insight", insight: "rating" },
  });
  expect(points.map(({ label }) => label).toSorted()).toEqual(["Bad", "Good", LONG_ENTRY, "late"].toSorted());
  expect(total.count).toBe((await figuresOf({ metric: SESSIONS })).total.count);
});

describe("the search of a figure finds as many sessions as it counts", () => {
  test.each([
    ...[SESSIONS, ...SHARES].flatMap((metric) => VALUES.map((split) => ({ metric, split }))),
    ...["day", "hour"].map((by) => ({ metric: SESSIONS, split: { by } })),
    ...VALUES.map((split) => ({ metric: { name: "insight_mean", insight: "rating" }, split })),
    ...VALUES.map((split) => ({ metric: { name: "latency_p95" }, split })),
  ])("$metric.name by $split.by", async ({ metric, split }) => {
    const { total, points } = await figuresOf({ metric, split });
    const isShare = !["sessions", "insight_mean", "latency_p95"].includes(metric.name);
    const counted = ({ value, count }: Figure) => (isShare ? Math.round((value ?? 0) * count) : count);
    for (const figure of [total, ...points])
      expect({ label: figure.label, found: await foundBy(figure.search) }).toEqual({
        label: figure.label,
        found: counted(figure),
      });
  });
});
