import { sql } from "kysely";
import type { Db } from "../src/db/database.ts";
import { EMPTY_SNAPSHOT, storeEmptySnapshot } from "../test/harness/rows.ts";

const CHUNK = 50_000;

/** A year of sessions of ten agents, each with six messages and a tool call. */
export async function fillPastSessions(db: Db, sub_organization_id: number, count: number): Promise<void> {
  await storeEmptySnapshot(db, sub_organization_id);
  await sql`
    insert into conversations (sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type, prompt_id,
      prompt_name, prompt_version_number, llm_provider, llm_model)
    values (${sub_organization_id}, now(), now(), 1, 'Front desk', 'ca_v1', 1, 'Booking', 1, 'openai', 'scripted')`.execute(
    db,
  );
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(from + CHUNK - 1, count);
    await sql`
      with made as (
        insert into sessions (sub_organization_id, conversation_id, timestamp, last_activity_at, ended_at, end_reason,
          channel, channel_manager_service, channel_manager_type, channel_manager_sid, agent_id, agent_name, agent_type,
          agent_timezone, prompt_id, prompt_name, prompt_version_number, is_test, duration, snapshot_key, state)
        select ${sub_organization_id}::bigint, (select max(id) from conversations), at, at + interval '2 minutes',
          at + interval '2 minutes', 'user', 'voice', 'voice', 'voice_sip_v1', 'bench-' || n, n % 10, 'Agent ' || n % 10,
          'ca_v1', 'UTC', 1, 'Booking', 1, false, 60 + n % 200, ${EMPTY_SNAPSHOT}, '{}'
        from generate_series(${from}::int, ${to}::int) as n,
          lateral (select now() - (${count}::int - n + 1) * (interval '365 days' / ${count}::int) as at) as t
        returning id, timestamp),
      calls as (
        insert into session_tool_calls (session_id, seq, turn_index, round, tool_call_id, tool_name, arguments, result,
          timestamp, duration_ms)
        select id, 3, 1, 0, 'c' || id, 'find_order', '{"order": "A1"}', '{"state": "late"}', timestamp, 12 from made)
      insert into session_messages (session_id, seq, turn_index, role, text, timestamp)
      select id, s, s / 2, case when s % 2 = 0 then 'agent' else 'user' end,
        'This is what somebody says in a turn of a conversation about a refund, number ' || s, timestamp
      from made, unnest(array[0, 1, 2, 4, 5, 6]) as s`.execute(db);
  }
  await sql`vacuum analyze sessions, session_messages, session_tool_calls`.execute(db);
}
