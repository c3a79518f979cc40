import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { PAGES_REACH, READ_UP_TO } from "../../../src/api/long-list.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { EMPTY_SNAPSHOT, storeEmptySnapshot } from "../../harness/rows.ts";

/** One event a second from here on, the 500th of them rare. */
const BEGAN = Date.UTC(2026, 0, 1);
const EVENTS = PAGES_REACH + 100;
const RARE = 500;

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await sql`
    insert into events (sub_organization_id, timestamp, source, category, type, user_id, description, attributes)
    select ${app.admin.sub_organization_id}::bigint,
      ${new Date(BEGAN).toISOString()}::timestamptz + i * interval '1 second', 'tool-call', 'automation',
      case when i = ${RARE}::int then 'Rare' else 'usual' end, '+1512' || lpad(i::text, 7, '0'), 'Event ' || i,
      json_build_object('n', i)
    from generate_series(1, ${EVENTS}::int) as i`.execute(app.db);
  await sql`analyze events`.execute(app.db);
});

const list = async (query: string) => {
  const { status, body } = await app.send("GET", `/api/v1/events/?${query}`);
  return { status, body, found: body.items?.map((item: { description: string }) => item.description) };
};
const between = (first: number, last: number) =>
  `&start_datetime=${new Date(BEGAN + first * 1000).toISOString()}&end_datetime=${new Date(BEGAN + last * 1000).toISOString()}`;

test("what an index finds is found among all, with its total", async () => {
  const one = await list("search_fields=user_id&search_field_values=9000500");
  expect([one.found, one.body.total_count]).toEqual([[], 0]);
  const some = await list("search_fields=user_id&search_field_values=12000050");
  expect(some.found).toEqual(["Event 509", ...[8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `Event 50${n}`)]);
  expect([some.body.total_count, some.body.total_pages]).toEqual([10, 1]);
  const second = await list("search_fields=user_id&search_field_values=12000050&limit=4&page=1");
  expect(second.found).toEqual(["Event 505", "Event 504", "Event 503", "Event 502"]);
  expect([second.body.total_count, second.body.total_pages]).toEqual([10, 3]);
});

test("many matches come newest first, without a total", async () => {
  for (const field of ["user_id&search_field_values=512", "type&search_field_values=USU"]) {
    const { body, found } = await list(`search_fields=${field}&limit=2&page=1`);
    expect([found, body.total_count]).toEqual([[`Event ${EVENTS - 2}`, `Event ${EVENTS - 3}`], null]);
  }
});

test("a search that no index answers asks for dates where the newest records do not fill its page", async () => {
  const { status, body } = await list(
    "search_fields=category&search_field_values=auto&search_fields=type&search_field_values=rare",
  );
  expect([status, body.detail[0].loc]).toEqual([422, ["query", "search_field_values", 0]]);
  expect(body.detail[0].msg).toContain("Give start_datetime and end_datetime");
});

test("many searches at once are all answered, with one connection each", async () => {
  const fields = ["type", "description", "attributes", "category"];
  const searches = Array.from({ length: 24 }, (_, n) =>
    list(`search_fields=${fields[n % 4]}&search_field_values=nobody${n}`),
  );
  expect(new Set((await Promise.all(searches)).map(({ status }) => status))).toEqual(new Set([422]));
});

test("within dates such a search is answered whole", async () => {
  const { body, found } = await list(`search_fields=type&search_field_values=rare${between(1, 5_000)}`);
  expect([found, body.total_count]).toEqual([["Event 500"], 1]);
  const none = await list(`search_fields=attributes&search_field_values=nobody${between(1, 5_000)}`);
  expect([none.found, none.body.total_count]).toEqual([[], 0]);
});

test("the first records of the other direction are searched where it is asked for", async () => {
  const { found } = await list("search_fields=type&search_field_values=rare&order_by_direction=asc&limit=1");
  expect(found).toEqual(["Event 500"]);
});

test("another order asks for dates where more match than are sorted, and holds where fewer do", async () => {
  const { status, body } = await list("order_by=description");
  expect([status, body.detail[0].loc]).toEqual([422, ["query", "order_by"]]);
  const sorted = await list(`order_by=description&order_by_direction=desc&limit=3${between(1, READ_UP_TO)}`);
  expect(sorted.found).toEqual(["Event 9999", "Event 9998", "Event 9997"]);
  expect(sorted.body.total_count).toBeNull();
  const few = await list(`order_by=user_id&limit=2&page=1${between(1, 11)}`);
  expect([few.found, few.body.total_count]).toEqual([["Event 3", "Event 4"], 10]);
});

test("the order of the time has no bound", async () => {
  const { found } = await list("order_by=timestamp&limit=2");
  expect(found).toEqual(["Event 1", "Event 2"]);
});

test("a page beyond the reach of pages asks for dates, and of a shorter list is empty", async () => {
  const limit = 1000;
  const { status, body } = await list(`limit=${limit}&page=${PAGES_REACH / limit}`);
  expect([status, body.detail[0].loc]).toEqual([422, ["query", "page"]]);
  const last = await list(`limit=${limit}&page=${PAGES_REACH / limit - 1}`);
  expect(last.found).toHaveLength(limit);
  const beyond = await list(`limit=${limit}&page=${PAGES_REACH / limit}${between(1, 11)}`);
  expect([beyond.found, beyond.body.total_count]).toEqual([[], 10]);
});

test("% and _ are letters, and a search of fewer than three looks among the newest", async () => {
  expect((await list("search_fields=user_id&search_field_values=%2551_")).status).toBe(422);
  expect((await list(`search_fields=user_id&search_field_values=%25${between(1, 50)}`)).found).toEqual([]);
  expect((await list(`search_fields=user_id&search_field_values=12${between(1, 50)}`)).body.total_count).toBe(
    49,
  );
});

test("sessions that run and sessions that are over are found by a part of a number, and by a whole id before a part", async () => {
  const sub = app.admin.sub_organization_id;
  await storeEmptySnapshot(app.db, sub);
  await sql`
    with c as (
      insert into conversations (sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type, prompt_id,
        prompt_name, prompt_version_number, llm_provider, llm_model)
      values (${sub}::bigint, now(), now(), 1, 'Ann', 'phone', 1, 'P', 1, 'openai', 'gpt') returning id)
    insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone, prompt_id,
      prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type, channel_manager_sid,
      is_test, snapshot_key, state, source, timestamp, last_activity_at, ended_at)
    select ${sub}::bigint, c.id, 1, 'Ann', 'phone', 'UTC', 1, 'P', 1, 'voice', 'twilio', 'voice', sid, false, ${EMPTY_SNAPSHOT}, '{}',
      '+15125550' || n, now() + n * interval '1 second', now(), case when n > 100 then now() + interval '1 hour' end
    from c, (values (100, 'CA1'), (101, 'CA12'), (102, 'CA2')) as s (n, sid)`.execute(app.db);
  const sessions = async (field: string, value: string) =>
    (
      await app.send("GET", `/api/v1/sessions/?search_fields=${field}&search_field_values=${value}`)
    ).body.items.map((item: { channel_manager_sid: string }) => item.channel_manager_sid);
  expect(await sessions("source", "5125550")).toEqual(["CA2", "CA12", "CA1"]);
  expect(await sessions("source", "5550100")).toEqual(["CA1"]);
  expect(await sessions("agent_name", "aNN")).toEqual(["CA2", "CA12", "CA1"]);
  expect(await sessions("channel_manager_sid", "CA1")).toEqual(["CA1"]);
  expect(await sessions("channel_manager_sid", "a1")).toEqual(["CA12", "CA1"]);
  expect(await sessions("channel_manager_sid", "CA3")).toEqual([]);
});
