import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/**
 * Takes an organization that is deleted off the air: nobody reaches its agents any more. Resolves with its targets as they
 * were, for `takeTargetsBack`.
 */
export async function releaseTargets(tx: Tx, organization_id: number): Promise<unknown[]> {
  const { rows } = await sql<{ targets: unknown[] }>`
    with released as (
      delete from channel_targets where sub_organization_id in (
        select id from sub_organizations where organization_id = ${organization_id})
      returning *
    )
    select coalesce(json_agg(released), '[]') as targets from released`.execute(tx);
  return rows[0]?.targets ?? [];
}

/** Those that nobody else has taken since are its own again; resolves with how many, and with which are lost. */
export async function takeTargetsBack(
  tx: Tx,
  released: unknown[],
): Promise<{ restored_targets: number; lost_targets: string[] }> {
  const targets = released as { target: string }[];
  const back = await sql<{ target: string }>`
    insert into channel_targets overriding system value
    select t.* from json_populate_recordset(null::channel_targets, ${JSON.stringify(targets)}::json) t
    on conflict do nothing
    returning target`.execute(tx);
  const returned = new Set(back.rows.map((row) => row.target));
  return {
    restored_targets: back.rows.length,
    lost_targets: targets.map(({ target }) => target).filter((target) => !returned.has(target)),
  };
}
