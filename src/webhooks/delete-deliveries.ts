import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";

/**
 * Deletes deliveries with what waits for them and what was tried; a try that is under way leaves nothing behind it. Locks
 * the outbox before the deliveries, each in the order of their keys, as the settling of tries does.
 */
export async function deleteDeliveries(
  tx: Tx,
  which: RawBuilder<unknown>,
): Promise<{ deliveries: number; tries: number }> {
  const { rows } = await sql<{ key: number }>`select key from webhook_deliveries where ${which}`.execute(tx);
  if (rows.length === 0) return { deliveries: 0, tries: 0 };
  const these = sql`any(${rows.map(({ key }) => key)}::bigint[])`;
  await lockOutbox(tx, these);
  await sql`select from webhook_deliveries where key = ${these} order by key for update`.execute(tx);
  await sql`delete from webhook_outbox where delivery_key = ${these}`.execute(tx);
  const tries = await sql`delete from webhook_tries where delivery_key = ${these}`.execute(tx);
  const deliveries = await sql`delete from webhook_deliveries where key = ${these}`.execute(tx);
  return {
    deliveries: Number(deliveries.numAffectedRows ?? 0),
    tries: Number(tries.numAffectedRows ?? 0),
  };
}

/** `these`: an `any(…)` of the keys of deliveries. */
export const lockOutbox = (tx: Tx, these: RawBuilder<unknown>) =>
  sql`select from webhook_outbox where delivery_key = ${these} order by delivery_key for update`.execute(tx);
