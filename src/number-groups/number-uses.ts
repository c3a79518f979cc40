import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/** An attempt from a number, on the day of its group. */
export type NumberUse = { organization_id: number; mode: string; number: string; day: string };

/**
 * Adds to the day's uses, in the transaction that stores the attempts and under the lock of their organizations, so that
 * no cap is passed. In the order of the keys; by primary key.
 */
export async function countUses(tx: Tx, uses: NumberUse[]): Promise<void> {
  if (uses.length === 0) return;
  await sql`
    insert into number_uses (organization_id, mode, number, day, uses)
    select organization_id, mode, number, day, count(*)
    from json_populate_recordset(null::number_uses, ${JSON.stringify(uses)}::json) group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (organization_id, mode, number, day) do update set uses = number_uses.uses + excluded.uses`.execute(
    tx,
  );
}

/** Of attempts that no carrier took: nobody saw the number. Locked after the days of campaigns, as claims do. */
export async function giveBackUses(tx: Tx, uses: NumberUse[]): Promise<void> {
  if (uses.length === 0) return;
  await sql`
    with given as (
      select organization_id, mode, number, day, count(*) as n
      from json_populate_recordset(null::number_uses, ${JSON.stringify(uses)}::json) group by 1, 2, 3, 4
    ),
    locked as (
      select u.organization_id, u.mode, u.number, u.day, given.n
      from number_uses u join given using (organization_id, mode, number, day)
      order by 1, 2, 3, 4 for update of u
    )
    update number_uses u set uses = u.uses - locked.n from locked
    where u.organization_id = locked.organization_id and u.mode = locked.mode and u.number = locked.number
      and u.day = locked.day`.execute(tx);
}

/** Days that no cap is about any more. */
const KEPT = "60 days";
export async function forgetOldUses(tx: Tx, now: Date): Promise<void> {
  await sql`
    delete from number_uses where day < (${now.toISOString()}::timestamptz - ${KEPT}::interval)::date`.execute(
    tx,
  );
}
