import { sql } from "kysely";
import type { LookupField } from "../channels/carrier.ts";
import type { Db } from "../db/database.ts";
import type { Enrichment } from "./target-filter.ts";

/** People keep their numbers, and carriers charge for every answer. */
export const LOOKUPS_KEPT_ms = 30 * 24 * 3600_000;

export type KnownNumber = {
  /** The packages that were asked for. */
  fields: LookupField[];
  /** A field of such a package that the carrier has nothing on is null. */
  facts: Enrichment;
  /** The oldest of them. */
  looked_up_at: string;
};

/** What an organization learned of these numbers in the last 30 days. */
export async function readLookups(
  db: Db,
  organization_id: number,
  numbers: string[],
  now: Date,
): Promise<Map<string, KnownNumber>> {
  const rows = await db
    .selectFrom("number_lookups")
    .select(["number", "fields", "facts", "looked_up_at"])
    .where("organization_id", "=", organization_id)
    .where("number", "=", sql<string>`any(${numbers}::text[])`)
    .where("looked_up_at", ">", new Date(now.getTime() - LOOKUPS_KEPT_ms).toISOString())
    .execute();
  return new Map(
    rows.map(({ number, fields, facts, looked_up_at }) => [
      number,
      { fields: fields as LookupField[], facts: facts as Enrichment, looked_up_at },
    ]),
  );
}

export type NewLookup = KnownNumber & { number: string; cost: number | null };

/**
 * Costs add up over all lookups of a number. Rows go in by the order of their numbers, so that two processes that learn
 * the same ones don't wait for each other in a circle.
 */
export async function storeLookups(db: Db, organization_id: number, lookups: NewLookup[]): Promise<void> {
  if (lookups.length === 0) return;
  await sql`
    insert into number_lookups as known (organization_id, number, fields, facts, looked_up_at, cost)
    select ${organization_id}::bigint, number, array(select json_array_elements_text(fields)), facts, looked_up_at,
      cost
    from json_to_recordset(${JSON.stringify(lookups)}::json)
      as l (number text, fields json, facts json, looked_up_at timestamptz, cost double precision)
    order by number
    on conflict (organization_id, number) do update set
      fields = excluded.fields, facts = excluded.facts, looked_up_at = excluded.looked_up_at,
      cost = case when known.cost is null and excluded.cost is null then null
        else coalesce(known.cost, 0) + coalesce(excluded.cost, 0) end
  `.execute(db);
}
