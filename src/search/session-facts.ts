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
  /** With the carrier's fees; null: of its models or its speech no price is known. */
  cost_usd: number | null;
  /** What of it has a price, fees included: all of `cost_usd`, where that is known. */
  known_usd: number;
  /** Of what was heard and spoken on its call, which is known once that has ended: later than the session. */
  is_speech_unpriced: boolean;
  /** Estimated by the operator's prices. */
  carrier_usd: number;
  waits_ms: number[];
};

/** Safe to repeat; a cost that was known once stays, with its fees. The session's row is locked by the caller. */
export async function storeFacts(tx: Tx, facts: CountedSession): Promise<void> {
  // All of it had a price once, and now a model's is not known any more.
  const wasKnown = sql`excluded.cost_usd is null and session_facts.cost_usd is not null
    and not ${facts.is_speech_unpriced}::boolean`;
  await countSpending(tx, facts);
  const values = sql`${facts.sub_organization_id}::bigint, ${facts.timestamp}::timestamptz, ${facts.ended_at}::timestamptz,
    ${facts.agent_id}::bigint, ${facts.agent_version}::bigint, ${facts.campaign_id}::bigint, ${facts.channel}, ${facts.end_reason}::text,
    ${facts.is_test}::boolean, ${facts.is_error}::boolean, ${facts.is_tool_failure}::boolean, ${facts.turn_count}::integer,
    ${facts.duration}::real, ${facts.cost_usd}::real, ${facts.known_usd}::real, ${facts.carrier_usd}::real, ${facts.waits_ms}::real[]`;
  await sql`
    insert into session_facts (session_id, sub_organization_id, began_at, ended_at, agent_id, agent_version, campaign_id,
      channel, end_reason, is_test, is_error, is_tool_failure, turns, duration_s, cost_usd, known_usd, carrier_usd, waits_ms)
    values (${facts.id}::bigint, ${values})
    on conflict (session_id) do update set (campaign_id, end_reason, is_error, is_tool_failure, turns, duration_s, waits_ms, cost_usd, known_usd, carrier_usd)
      = (excluded.campaign_id, excluded.end_reason, excluded.is_error, excluded.is_tool_failure, excluded.turns,
        excluded.duration_s, excluded.waits_ms,
        case when ${wasKnown} then session_facts.cost_usd else excluded.cost_usd end,
        case when ${wasKnown} then session_facts.known_usd else excluded.known_usd end,
        case when ${wasKnown} then session_facts.carrier_usd else excluded.carrier_usd end)`.execute(tx);
  // An experiment compares what boards show.
  await sql`
    update experiment_sessions e set cost_usd = f.cost_usd from session_facts f
    where e.session_id = ${facts.id}::bigint and f.session_id = e.session_id
      and e.cost_usd is distinct from f.cost_usd`.execute(tx);
}

type Held = { cost_usd: number | null; known_usd: number | null; carrier_usd: number };

/** Adds what the campaign's spending does not hold yet of this session; before its facts are stored, which say what it holds. */
async function countSpending(tx: Tx, { id, campaign_id, ...facts }: CountedSession): Promise<void> {
  if (campaign_id === null) return;
  const { rows } = await sql<Held>`
    select cost_usd, known_usd, coalesce(carrier_usd, 0) as carrier_usd from session_facts
    where session_id = ${id}::bigint and campaign_id = ${campaign_id}::bigint`.execute(tx);
  const held = rows[0] ?? { cost_usd: null, known_usd: null, carrier_usd: 0 };
  if (facts.cost_usd === null && held.cost_usd !== null && !facts.is_speech_unpriced) return;
  // Where not all of it has a price, what has one is spent all the same.
  const spentOf = ({ cost_usd, known_usd, carrier_usd }: Held) => cost_usd ?? known_usd ?? carrier_usd;
  // Facts hold it in single precision.
  const more = (now: number, before: number) => Math.fround(now) - Math.fround(before);
  const cost_usd = more(spentOf(facts), spentOf(held));
  const carrier_usd = more(facts.carrier_usd, held.carrier_usd);
  if (cost_usd === 0 && carrier_usd === 0) return;
  const { sub_organization_id, ended_at } = facts;
  await addSpending(tx, { sub_organization_id, campaign_id, cost_usd, carrier_usd, at: new Date(ended_at) });
}
