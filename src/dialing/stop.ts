import { sql } from "kysely";
import { wakeOrganization } from "../batches/wake-batch.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";

/** Whether all outreach of an organization is stopped, and what that holds. */
export type OutreachState = {
  is_stopped: boolean;
  stopped_at: string | null;
  stopped_by: string | null;
  active_batches: number;
  ringing_calls: number;
};

/** Calls that nobody has answered yet, as far as is known. Index: `attempts_slots`. */
export const RINGS = sql`
  a.holds_slot and a.mode = 'voice' and a.state <> 'ENDED' and a.session_id is null and a.answerer is null
  and a.channel_status in ('PENDING', 'QUEUED')`;

export async function readOutreachState(db: Db, organization_id: number): Promise<OutreachState> {
  const { rows } = await sql<OutreachState>`
    select g.outreach_stopped_at is not null as is_stopped, g.outreach_stopped_at as stopped_at,
      g.outreach_stopped_by as stopped_by,
      (select count(*) from batches b join sub_organizations o on o.id = b.sub_organization_id
        where o.organization_id = g.id and b.status = 'ACTIVE') as active_batches,
      (select count(*) from attempts a where a.organization_id = g.id and ${RINGS}) as ringing_calls
    from organizations g where g.id = ${organization_id}`.execute(db);
  return rows[0] as OutreachState;
}

type Change = { organization_id: number; by: string; at: Date };

/**
 * From this transaction's commit on, no process starts an attempt: the update waits for claims that hold the organization
 * (lines.ts), and every later claim reads it. A second stop changes nothing, and nobody is told of it.
 */
export async function stopOutreach(tx: Tx, { organization_id, by, at }: Change): Promise<void> {
  const stopped = await sql`
    update organizations set outreach_stopped_at = ${at.toISOString()}::timestamptz, outreach_stopped_by = ${by}
    where id = ${organization_id} and outreach_stopped_at is null`.execute(tx);
  if (stopped.numAffectedRows === 0n) return;
  const text = `${by} stopped all outreach of the organization`;
  await tellAll(tx, { organization_id, by, at }, "outreach-stopped", text);
}

/**
 * Batches that were paused stay paused, and all others are looked at again. Locks pacing before the organization, in the
 * order of a claim.
 */
export async function resumeOutreach(tx: Tx, { organization_id, by, at }: Change): Promise<void> {
  await wakeOrganization(tx, organization_id, at);
  const resumed = await sql`
    update organizations set outreach_stopped_at = null, outreach_stopped_by = null
    where id = ${organization_id} and outreach_stopped_at is not null`.execute(tx);
  if (resumed.numAffectedRows === 0n) return;
  const text = `${by} resumed all outreach of the organization`;
  await tellAll(tx, { organization_id, by, at }, "outreach-resumed", text);
}

async function tellAll(
  tx: Tx,
  { organization_id, by, at }: Change,
  type: "outreach-stopped" | "outreach-resumed",
  description: string,
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id from sub_organizations where organization_id = ${organization_id} order by id`.execute(tx);
  const event = { at, source: "api", source_id: null, category: "outbound", type, description } as const;
  for (const { id } of rows) await publish(tx, id, [{ ...event, attributes: { by } }]);
}
