import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { hasError } from "../sessions/listed/session-error.ts";

/** An opt-out or complaint without a session is ascribed to the person's last one, if it is not older than this. */
export const ASCRIBED_DAYS = 7;
/** What another process committed late is looked at again. */
const OVERLAP_MS = 120_000;

type Collected = { id: number; sub_organization_id: number; slow_ms: number; since: string };

/**
 * Writes down what came of the sessions of an experiment: those that are open each time, those that are over once, and
 * opt-outs and complaints whenever they come. Safe to repeat. What a session cost is written where it is indexed
 * (search/session-facts.ts). Indexes: experiment_sessions_open, suppressions_list.
 */
export async function collectOutcomes(
  db: Db,
  { id, sub_organization_id, slow_ms, since }: Collected,
): Promise<void> {
  await sql`
    with found as (
      select e.session_id, s.ended_at is not null as is_over, s.end_reason, s.turn_count as turns, s.duration as duration_s,
        s.end_reason is not distinct from 'transfer' as is_transfer,
        ${hasError("s")} as is_error,
        (select avg(t.duration_ms) from session_trace t
          where t.session_id = s.id and t.category = 'turn') as wait_ms
      from experiment_sessions e join sessions s on s.id = e.session_id
      where e.experiment_id = ${id} and not e.is_over
    )
    update experiment_sessions e
    set is_over = f.is_over, is_error = f.is_error, is_transfer = f.is_transfer, end_reason = f.end_reason,
      is_slow = coalesce(f.wait_ms > ${slow_ms}, false),
      turns = f.turns, wait_ms = f.wait_ms, duration_s = f.duration_s
    from found f
    where e.session_id = f.session_id
      and (f.is_over, f.is_error, f.turns, f.wait_ms) is distinct from (e.is_over, e.is_error, e.turns, e.wait_ms)`.execute(
    db,
  );
  const from = new Date(new Date(since).getTime() - OVERLAP_MS).toISOString();
  await sql`
    with told as (
      select p.reason, coalesce(p.session_id, (
        select s.id from sessions s
        where s.sub_organization_id = p.sub_organization_id and s.source = p.address
          and s.timestamp <= p.occurred_at and s.timestamp > p.occurred_at - ${ASCRIBED_DAYS} * interval '1 day'
        order by s.timestamp desc limit 1)) as session_id
      from suppressions p
      where p.sub_organization_id = ${sub_organization_id} and p.created_at >= ${from}
        and p.reason in ('unsubscribed', 'do-not-call', 'spam-report')
    ), each as (
      select session_id, bool_or(reason <> 'spam-report') as is_opt_out, bool_or(reason = 'spam-report') as is_complaint
      from told group by session_id
    )
    update experiment_sessions e
    set is_opt_out = e.is_opt_out or t.is_opt_out, is_complaint = e.is_complaint or t.is_complaint
    from each t
    where e.session_id = t.session_id and e.experiment_id = ${id}
      and not (e.is_opt_out >= t.is_opt_out and e.is_complaint >= t.is_complaint)`.execute(db);
}
