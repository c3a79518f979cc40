import { sql } from "kysely";
import type { Database } from "../src/db/database.ts";
import { EMPTY_SNAPSHOT, storeEmptySnapshot } from "../test/harness/rows.ts";

/**
 * Rows for the lists of `lists-at-scale.ts`: a year of them, spread like a real installation's. One row of each table, in
 * the middle, holds the word "needle" wherever its list is searched for a part of a text.
 */
export type Fill = { sub_organization_id: number; from: number; to: number; middle: number };

/** Adds the rows numbered `from` to `to` of every table, later ones newer. */
export async function fillLists(db: Database["db"], fill: Fill): Promise<void> {
  const { sub_organization_id: tenant, from, to, middle } = fill;
  const at = sql`timestamptz '2025-01-01' + i * interval '30 seconds'`;
  const word = (usual: string) =>
    sql`case when i = ${middle}::int then 'a needle here' else ${sql.raw(usual)} end`;
  const rows = sql`generate_series(${from}::int, ${to - 1}::int) as i`;
  const phone = "'+1512' || lpad((i * 7919::bigint % 10000000)::text, 7, '0')";

  await sql`
    insert into conversations (id, sub_organization_id, timestamp, last_activity_at, agent_id, agent_name, agent_type,
      prompt_id, prompt_name, prompt_version_number, llm_provider, llm_model, user_address)
    overriding system value
    select 1000000 + i, ${tenant}::bigint, ${at}, ${at}, 1 + i % 20, ${word("'Agent ' || i % 20")}, 'phone', 1 + i % 20,
      ${word("'Prompt ' || i % 20")}, 1, 'openai', ${word("'gpt-' || i % 5")}, ${sql.raw(phone)}
    from ${rows}`.execute(db);
  await storeEmptySnapshot(db, tenant);
  await sql`
    insert into sessions (sub_organization_id, conversation_id, agent_id, agent_name, agent_type, agent_timezone,
      prompt_id, prompt_name, prompt_version_number, channel, channel_manager_service, channel_manager_type,
      channel_manager_sid, is_test, is_outbound, snapshot_key, state, source, target, timestamp, last_activity_at,
      ended_at, end_reason, duration)
    select ${tenant}::bigint, 1000000 + i, 1 + i % 20, ${word("'Agent ' || i % 20")}, 'phone', 'America/Chicago',
      1 + i % 20, ${word("'Prompt ' || i % 20")}, 1, 'voice', 'twilio', 'voice',
      ${word("'CA' || md5(i::text)")}, i % 1000 = 7, i % 2 = 0, ${EMPTY_SNAPSHOT}, '{}', ${word(phone)},
      ${word("'+1512555' || lpad((i % 30)::text, 4, '0')")}, ${at}, ${at}, ${at} + (10 + i % 600) * interval '1 second',
      (array['user', 'agent', 'idle', 'transfer'])[1 + i % 4], 10 + i % 600
    from ${rows}`.execute(db);
  await sql`
    insert into events (sub_organization_id, timestamp, session_id, conversation_id, source, source_id, category, type,
      user_id, description, attributes)
    select ${tenant}::bigint, ${at}, (i / 20)::text, (i / 60)::text, ${word("'tool-call'")}, (i % 50)::text,
      ${word("'automation'")}, ${word("(array['phone-transfer', 'sms-sent', 'lookup'])[1 + i % 3]")}, ${word(phone)},
      ${word("'Transfer ' || i")},
      json_build_object('outcome', 'success', 'step', i % 40, 'note', ${word("'call ' || md5(i::text)")})
    from ${rows}`.execute(db);
  await sql`
    insert into suppressions (sub_organization_id, kind, address, scope, reason, occurred_at, through, said, session_id,
      comment, created_at, created_by, lifted_at)
    select ${tenant}::bigint, 'phone', ${word("'+1512' || lpad(i::text, 7, '0')")},
      (array['all', 'voice', 'sms'])[1 + i % 3], 'do-not-call', ${at}, 'import', ${word("'list-' || i % 9 || '.csv'")},
      case when i % 10 = 0 then i + 1 end, ${word("'As asked on call ' || i")}, ${at}, ${word("'desk' || i % 9 || '@example.com'")},
      case when i % 100 = 0 then ${at} + interval '1 hour' end
    from ${rows}`.execute(db);
  await sql`
    insert into audit_entries (sub_organization_id, at, actor, user_id, api_token_id, address, request_id, action, resource,
      resource_id, before, after)
    select ${tenant}::bigint, ${at}, ${word("'person' || i % 300 || '@example.com'")}, i % 300, i % 7,
      ${word("'10.0.' || i % 250 || '.' || i % 240")}, md5(i::text), (array['update', 'create', 'delete'])[1 + i % 3],
      (array['agents', 'prompts', 'tools', 'campaigns'])[1 + i % 4], (i % 1000)::text,
      json_build_object('name', ${word("'Record ' || i % 1000")}, 'text', md5(i::text)),
      json_build_object('name', ${word("'Record ' || i % 1000")}, 'text', md5((i + 1)::text))
    from ${rows}`.execute(db);
  await sql`
    insert into consents (sub_organization_id, address, purpose, channel, given_through, wording, valid_from, created_at,
      created_by, revoked_at, revoked_through, revoked_by)
    select ${tenant}::bigint, ${word("'+1512' || lpad(i::text, 7, '0')")}, 'marketing',
      (array['call', 'text', 'email'])[1 + i % 3], 'form', ${word("'May we write to you? Form ' || i % 9")}, ${at}, ${at},
      ${word("'desk' || i % 9 || '@example.com'")}, case when i % 50 = 0 then ${at} + interval '1 hour' end,
      case when i % 50 = 0 then 'text' end, case when i % 50 = 0 then 'them' end
    from ${rows}`.execute(db);
  await sql`
    insert into webhook_deliveries (id, sub_organization_id, webhook_id, is_test, state, body, tries, created_at, ended_at,
      event, session_id)
    select 'whd_' || md5(i::text), ${tenant}::bigint, 1 + i % 5, false,
      (array['DELIVERED', 'DELIVERED', 'DELIVERED', 'FAILED'])[1 + i % 4], '{}', 1, ${at}, ${at}, 'session.ended', i + 1
    from ${rows}`.execute(db);
  // A twentieth as many people.
  await sql`
    insert into users (sub_organization_id, email, first_name, last_name, role_id, login_type, last_updated)
    select ${tenant}::bigint, 'user' || i || '@example.com', ${word("'Ada ' || i % 200")}, ${word("'Smith ' || i % 900")},
      (select min(id) from roles), 'username_and_password', ${at}
    from ${rows} where i % 20 = 0`.execute(db);
}

/** All requests of one batch, each with a call that was asked for; answers its id. */
export async function fillBatch(db: Database["db"], fill: Fill): Promise<string> {
  const { sub_organization_id: tenant, from, to } = fill;
  const batch_id = "11111111-1111-4111-8111-111111111111";
  if (from === 0) {
    await sql`
      with campaign as (
        insert into campaigns (sub_organization_id, campaign_name, campaign_variables, hourly_rate, retry_count, active_days,
          include_unknown_line_types, created_at, updated_at, last_updated_by)
        values (${tenant}::bigint, 'Bench', '{}', 1, 0, '{}', true, now(), now(), 'bench') returning id)
      insert into batches (sub_organization_id, batch_id, campaign_id, auto_call_rate, status, created_at, last_updated_at,
        last_updated_by)
      select ${tenant}::bigint, ${batch_id}, id, false, 'PAUSED', now(), now(), 'bench' from campaign`.execute(
      db,
    );
  }
  await sql`
    insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, created_at,
      request_variables)
    select (select key from batches where batch_id = ${batch_id}), 'r' || i, '+1512' || lpad(i::text, 7, '0'),
      case when i % 2 = 0 then 'COMPLETED' else 'PENDING' end, case when i % 2 = 0 then 'COMPLETED' else 'PENDING' end,
      now(), '{"name": "Ada"}'
    from generate_series(${from}::int, ${to - 1}::int) as i`.execute(db);
  await sql`
    insert into call_backs (sub_organization_id, campaign_id, batch_key, request_id, after_attempt, session_id, target,
      due_at, timezone, asked_at)
    select ${tenant}::bigint, b.campaign_id, b.key, i + 1, 1, i + 1, '+1512' || lpad(i::text, 7, '0'),
      timestamptz '2025-01-01' + i * interval '30 seconds' + interval '1 day', 'America/Chicago',
      timestamptz '2025-01-01' + i * interval '30 seconds'
    from batches b, generate_series(${from}::int, ${to - 1}::int) as i where b.batch_id = ${batch_id}`.execute(
    db,
  );
  await sql`
    insert into webhook_deliveries (id, sub_organization_id, campaign_id, webhook_id, batch_key, request_id, attempt_count,
      channel_manager_status, is_test, state, body, tries, created_at, ended_at)
    select 'whc_' || md5(i::text), ${tenant}::bigint, b.campaign_id, 10 + i % 2, b.key, i + 1, 1, 'COMPLETED', false,
      case when i % 200 = 0 then 'FAILED' else 'DELIVERED' end, '{}', 1, at, at
    from batches b, generate_series(${from}::int, ${to - 1}::int) as i,
      lateral (select timestamptz '2025-01-01' + i * interval '30 seconds' as at) as told
    where b.batch_id = ${batch_id}`.execute(db);
  return batch_id;
}
