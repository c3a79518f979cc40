import { sql } from "kysely";
import { systemClock } from "../src/base/clock.ts";
import { keyForTexts } from "../src/data-keys/data-keys.ts";
import { runErasure } from "../src/erasure/erase-people.ts";
import { organizationDocuments, organizationMarks } from "../src/redaction/text-sealer.ts";
import { EMPTY_SNAPSHOT, storeEmptySnapshot } from "../test/harness/rows.ts";
import { startPlatform } from "./platform.ts";

/*
 * How long the erasure of one person takes among 1,000,000 sessions of 10,000 people, each with two messages and a call of a
 * tool, and among 100,000 sealed tests that were made from conversations, of which three quote the person. Run:
 *
 *     node bench/erasure.ts [sessions] [sealed tests]
 */

const SESSIONS = Number(process.argv[2] ?? 1_000_000);
const TESTS = Number(process.argv[3] ?? 100_000);
const PEOPLE = Math.max(1, Math.floor(SESSIONS / 100));
const AT_ONCE = 50_000;
const TESTS_AT_ONCE = 500;

const platform = await startPlatform();
const { db, pool } = platform.database;
const { sub_organization_id } = platform.caller;
const call = async (path: string, body: object) => {
  const response = await platform.api.server.inject({
    method: "POST",
    url: path,
    payload: JSON.stringify(body),
    headers: { "content-type": "application/json", "service-api-key": platform.token },
  });
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${response.body}`);
  return response.json() as { id: number };
};

await storeEmptySnapshot(db, sub_organization_id);
await sql`
  insert into conversations (sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type, prompt_id,
    prompt_name, prompt_version_number, llm_provider, llm_model)
  values (${sub_organization_id}, now(), now(), 1, 'Agent', 'ca_v1', 1, 'Booking', 1, 'openai', 'scripted')`.execute(
  db,
);
for (let from = 1; from <= SESSIONS; from += AT_ONCE) {
  const to = Math.min(SESSIONS, from + AT_ONCE - 1);
  await sql`
    with made as (
      insert into sessions (sub_organization_id, conversation_id, timestamp, last_activity_at, ended_at, end_reason, channel,
        channel_manager_service, channel_manager_type, channel_manager_sid, agent_id, agent_name, agent_type, agent_timezone,
        prompt_id, prompt_name, prompt_version_number, is_test, duration, snapshot_key, state, source, target)
      select ${sub_organization_id}::bigint, (select max(id) from conversations), at, at, at, 'user', 'voice', 'voice',
        'voice_sip_v1', 'bench-' || n, n % 10, 'Agent', 'ca_v1', 'UTC', 1, 'Booking', 1, false, 60, ${EMPTY_SNAPSHOT}, '{}',
        '+1512' || lpad((n % ${PEOPLE}::int)::text, 7, '0'), '+15125550100'
      from generate_series(${from}::int, ${to}::int) as n,
        lateral (select now() - n * interval '20 seconds' as at) as t
      returning id, timestamp),
    called as (
      insert into session_tool_calls (session_id, seq, turn_index, round, tool_call_id, tool_name, arguments, result,
        timestamp, duration_ms)
      select id, 2, 1, 0, 'c' || id, 'find_order', '{"order": "A1"}', '{"state": "late"}', timestamp, 12 from made)
    insert into session_messages (session_id, seq, turn_index, role, text, timestamp)
    select id, s, 1, case when s = 0 then 'user' else 'agent' end, 'What somebody says about a refund', timestamp
    from made, unnest(array[0, 1]) as s`.execute(db);
}
await sql`vacuum analyze sessions, session_messages, session_tool_calls`.execute(db);
if (TESTS > 0) await storeTests();
process.stdout.write(`${SESSIONS} sessions of ${PEOPLE} people, ${TESTS} sealed tests\n`);

const times: number[] = [];
for (let person = 1; person <= 5; person++) {
  const address = `+1512${String(person).padStart(7, "0")}`;
  const preview = performance.now();
  await call("/api/v1/erasures/preview", { address });
  const begun = performance.now();
  const { id } = await call("/api/v1/erasures/", { address });
  await runErasure({ ...platform.engine, dataDir: "/nonexistent" }, Number(id));
  const took = performance.now() - begun;
  times.push(took);
  const { rows } = await pool.query<{ status: string; counts: unknown }>(
    "select status, counts from erasures where id = $1",
    [id],
  );
  process.stdout.write(
    `preview ${Math.round(begun - preview)} ms, erased in ${Math.round(took)} ms: ${rows[0]?.status} ${JSON.stringify(rows[0]?.counts)}\n`,
  );
}
process.stdout.write(`longest ${Math.round(Math.max(...times))} ms\n`);
await platform.stop();

/** As somebody who turns conversations into tests: each has 1.5 KB, with a number in one of its lines. */
async function storeTests(): Promise<void> {
  await sql`update organizations set seals_texts = true`.execute(db);
  await keyForTexts({ db, clock: systemClock, vault: platform.engine.vault }, sub_organization_id);
  const agent = await db.selectFrom("agents").select("id").limit(1).executeTakeFirstOrThrow();
  for (let from = 0; from < TESTS; from += TESTS_AT_ONCE) {
    const { id } = await db
      .insertInto("test_suites")
      .values({
        sub_organization_id,
        name: `Suite ${from}`,
        description: "",
        agent_id: agent.id,
        last_updated: "now",
        last_updated_by: "bench",
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const seal = await organizationDocuments(db, platform.engine.vault, sub_organization_id, `suite ${id}`);
    const marks = await organizationMarks(db, platform.engine.vault, sub_organization_id);
    const rows = Array.from({ length: Math.min(TESTS_AT_ONCE, TESTS - from) }, (_, n) => ({
      sub_organization_id,
      suite_id: id,
      position: n,
      name: `case ${n}`,
      definition: seal(testOf(from + n)),
      address_marks: marks(JSON.stringify(testOf(from + n)), { isIndexed: true }),
    }));
    await sql`
      insert into test_cases (sub_organization_id, suite_id, position, name, definition, address_marks)
      select sub_organization_id, suite_id, position, name, definition, address_marks
      from json_populate_recordset(null::test_cases, ${JSON.stringify(rows)}::json)`.execute(db);
  }
  await sql`vacuum analyze test_cases`.execute(db);
}

function testOf(n: number): object {
  const lines = Array.from(
    { length: 12 },
    (_, line) =>
      `Line ${line} of a conversation about the refund of an order, as it was said and heard, number ${n * 12 + line}`,
  );
  const person = `+1512${String(n % 40_000).padStart(7, "0")}`;
  return { name: `case ${n}`, person: [...lines, `my number is ${person}`], expect: { said: ["refund"] } };
}
