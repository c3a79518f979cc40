import { sql } from "kysely";
import { addSpending } from "../campaigns/spending.ts";
import type { Tx } from "../db/database.ts";

/** What boards and alerts count of a session that is over. */
export type CountedSession = {
  id: number;
  sub_organization_id: number;
  timestamp: string;
  ended_at: string;
  agent_id: number;
  agent_version: number | null;
  campaign_id: number | null;
  channel: string;
  end_reason: string | null;
  is_test: boolean;
  is_error: boolean;
  is_tool_failure: boolean;
  turn_count: number;
  duration: number | null;
  cost_usd: number | null;
  waits_ms: number[];
};

/** Safe to repeat; a cost that was known once stays. The session's row is locked by the caller. */
export async function storeFacts(tx: Tx, facts: CountedSession): Promise<void> {
  await countSpending(tx, facts);
  const values = sql`${facts.sub_organization_id}::bigint, ${facts.timestamp}::timestamptz, ${facts.ended_at}::timestamptz,
    ${facts.agent_id}::bigint, ${facts.agent_version}::bigint, ${facts.campaign_id}::bigint, ${facts.channel}, ${facts.end_reason}::text,
    ${facts.is_test}::boolean, ${facts.is_error}::boolean, ${facts.is_tool_failure}::boolean, ${facts.turn_count}::integer,
    ${facts.duration}::real, ${facts.cost_usd}::real, ${facts.waits_ms}::real[]`;
  await sql`
    insert into session_facts (session_id, sub_organization_id, began_at, ended_at, agent_id, agent_version, campaign_id,
      channel, end_reason, is_test, is_error, is_tool_failure, turns, duration_s, cost_usd, waits_ms)
    values (${facts.id}::bigint, ${values})
    on conflict (session_id) do update set (campaign_id, end_reason, is_error, is_tool_failure, turns, duration_s, cost_usd, waits_ms)
      = (excluded.campaign_id, excluded.end_reason, excluded.is_error, excluded.is_tool_failure, excluded.turns,
        excluded.duration_s, coalesce(excluded.cost_usd, session_facts.cost_usd), excluded.waits_ms)`.execute(
    tx,
  );
}

/** Adds what the campaign's spending does not hold yet of this session; before its facts are stored, which say what it holds. */
async function countSpending(tx: Tx, { id, campaign_id, cost_usd, ...facts }: CountedSession): Promise<void> {
  if (campaign_id === null || cost_usd === null) return;
  const { rows } = await sql<{ counted: number }>`
    select case when campaign_id = ${campaign_id}::bigint then coalesce(cost_usd, 0) else 0 end as counted
    from session_facts where session_id = ${id}::bigint`.execute(tx);
  // Facts hold it in single precision.
  const more = Math.fround(cost_usd) - Math.fround(rows[0]?.counted ?? 0);
  if (more === 0) return;
  const { sub_organization_id, ended_at } = facts;
  await addSpending(tx, { sub_organization_id, campaign_id, cost_usd: more, at: new Date(ended_at) });
}
