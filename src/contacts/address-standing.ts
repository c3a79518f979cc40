import { sql } from "kysely";
import { holdsForPerson } from "../consent/reach-check.ts";
import type { Db } from "../db/database.ts";
import type { ShownContact } from "./shown-contact.ts";

/** What was said of one address: consents and suppressions are an address's. */
export type AddressStanding = { address: string; suppressed: string[]; consents: string[] };

/** For callers who may not see what belongs to campaigns. */
export const unknownStanding = ({ addresses }: ShownContact): AddressStanding[] =>
  addresses.map((address) => ({ address, suppressed: [], consents: [] }));

/** Indexes: suppressions_live, consents_live. */
export async function standingOf(db: Db, { tenant, addresses }: ShownContact): Promise<AddressStanding[]> {
  const { rows } = await sql<AddressStanding>`
    select w.address, array(
        select distinct scope from suppressions
        where sub_organization_id = ${tenant} and address = w.address and lifted_at is null order by 1
      ) as suppressed,
      array(
        select distinct purpose || ' ' || channel from consents
        where sub_organization_id = ${tenant} and address = w.address and revoked_at is null order by 1
      ) as consents
    from unnest(${addresses}::text[]) with ordinality w (address, n) order by w.n`.execute(db);
  return rows;
}

/** The channels on which the address must not be reached: by its own suppressions, and by what the person asked for elsewhere. */
export async function suppressedOf(db: Db, { tenant, address, addresses }: ShownContact): Promise<string[]> {
  const { rows } = await sql<{ scope: string }>`
    select distinct s.scope from suppressions s
    where s.sub_organization_id = ${tenant} and s.address = any(${addresses}::text[]) and s.lifted_at is null
      and (s.address = ${address} or ${holdsForPerson(sql`s.scope`)})
    order by 1`.execute(db);
  return rows.map(({ scope }) => scope);
}
