import { sql } from "kysely";
import type { Database } from "../src/db/database.ts";
import type { Fill } from "./lists-rows.ts";

/** What `fillAnalysis` hangs its rows on: made with the first ones. */
export type AnalysisParents = { workflow_id: number; folder_id: number; rule_id: number };

export async function analysisParents(
  db: Database["db"],
  sub_organization_id: number,
): Promise<AnalysisParents> {
  const one = async (statement: ReturnType<typeof sql<{ id: string }>>) =>
    Number((await statement.execute(db)).rows[0]?.id);
  return {
    workflow_id: await one(sql`
      insert into insight_workflows (sub_organization_id, name, source, description, conditions, status, created_at,
        updated_at, last_updated_by)
      values (${sub_organization_id}::bigint, 'Bench', 'agent', '', '{}', 'INACTIVE', now(), now(), 'bench')
      returning id`),
    folder_id: await one(sql`
      insert into insight_folders (sub_organization_id, name, created_at, updated_at, last_updated_by)
      values (${sub_organization_id}::bigint, 'bench', now(), now(), 'bench') returning id`),
    rule_id: await one(sql`
      insert into alert_rules (sub_organization_id, name, is_active, metric, search_fields, search_field_values,
        window_minutes, condition, threshold, least_sessions, notified_users, uses_webhooks, last_updated, last_updated_by)
      values (${sub_organization_id}::bigint, 'Bench', false, '{"name": "sessions"}', '{}', '{}', 60, 'above', 1, 1, '[]',
        false, now(), 'bench') returning id`),
  };
}

/** Adds the rows numbered `from` to `to` of what analysis of sessions leaves behind, and of deletions of people. */
export async function fillAnalysis(db: Database["db"], fill: Fill, parents: AnalysisParents): Promise<void> {
  const { sub_organization_id: tenant, from, to, middle } = fill;
  const { workflow_id, folder_id, rule_id } = parents;
  const at = sql`timestamptz '2025-01-01' + i * interval '30 seconds'`;
  const word = (usual: string) =>
    sql`case when i = ${middle}::int then 'a needle here' else ${sql.raw(usual)} end`;
  const rows = sql`generate_series(${from}::int, ${to - 1}::int) as i`;
  const session = sql`(select min(id) from sessions where sub_organization_id = ${tenant}::bigint) + i`;

  await sql`
    insert into insight_executions (sub_organization_id, workflow_id, session_id, cause, status, attempts, error_message,
      created_at, run_at, started_at, finished_at)
    select ${tenant}::bigint, ${workflow_id}::bigint, ${session},
      (array['session', 'manual', 'backfill'])[1 + i % 3], case when i % 50 = 0 then 'FAILED' else 'COMPLETED' end, 1,
      case when i % 50 = 0 then ${word("'The model refused call ' || i")} end, ${at}, ${at}, ${at},
      ${at} + interval '5 seconds'
    from ${rows}`.execute(db);
  await sql`
    insert into session_labels (sub_organization_id, session_id, timestamp, type, code, user_email, comments,
      issue_categories)
    select ${tenant}::bigint, ${session}, ${at}, (array['auto-rating', 'human-rating'])[1 + i % 2],
      (array['GOOD', 'OK', 'BAD', 'N/A'])[1 + i % 4], ${word("'person' || i % 300 || '@example.com'")},
      ${word("'Heard at ' || i")}, array[${word("'issue ' || i % 40")}]
    from ${rows}`.execute(db);
  await sql`
    insert into alert_changes (sub_organization_id, alert_rule_id, at, state, value, sessions, description)
    select ${tenant}::bigint, ${rule_id}::bigint, ${at}, (array['firing', 'reminded', 'resolved'])[1 + i % 3], i % 100,
      i % 1000, ${word("'Sessions above ' || i")}
    from ${rows}`.execute(db);
  await sql`
    insert into insight_files (sub_organization_id, folder_id, filename, object_key, media_type, size_bytes, call_id,
      agent_number, customer_number, duration, start_time, end_time, created_at)
    select ${tenant}::bigint, ${folder_id}::bigint, ${word("'call-' || i || '.wav'")}, 'bench/' || i, 'audio/wav', 1000,
      ${word("'C' || i")}, '+15125550100', '+1512' || lpad(i::text, 7, '0'), i % 600, ${at}, ${at}, ${at}
    from ${rows}`.execute(db);
  await sql`
    insert into erasures (sub_organization_id, address_hash, status, counts, requested_at, requested_by, started_at,
      finished_at, sealed_address)
    select ${tenant}::bigint, md5(i::text), 'COMPLETED', '{}', ${at}, ${word("'desk' || i % 9 || '@example.com'")}, ${at},
      ${at}, null
    from ${rows}`.execute(db);
}
