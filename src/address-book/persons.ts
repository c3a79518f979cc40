import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";

/** An address within one sub-organization, normalised (channels/address.ts). */
export type PersonAddress = { sub_organization_id: number; address: string };

/** What the contact of an address says. `others`: the contact's addresses beside this one. */
type KnownPerson = { others: string[]; timezone: string | null };

const nameOf = ({ sub_organization_id, address }: PersonAddress): string =>
  `${sub_organization_id} ${address}`;

/** Who has which addresses, as far as contacts say. */
export class Persons {
  #people: ReadonlyMap<string, KnownPerson>;

  constructor(people: ReadonlyMap<string, KnownPerson>) {
    this.#people = people;
  }

  /** Nobody who was asked about has another address or a zone. */
  get isEmpty(): boolean {
    return this.#people.size === 0;
  }

  /** The other addresses of the same person. */
  othersOf(of: PersonAddress): readonly string[] {
    return this.#people.get(nameOf(of))?.others ?? [];
  }

  /** These, and the other addresses of the people who have them, each once. */
  addressesOf(sub_organization_id: number, addresses: readonly string[]): string[] {
    if (this.isEmpty) return [...addresses];
    const others = addresses.flatMap((address) => this.othersOf({ sub_organization_id, address }));
    return [...new Set([...addresses, ...others])];
  }

  /** The zone that a contact of one of these addresses has; null: none says. */
  timezoneOf(sub_organization_id: number, addresses: readonly string[]): string | null {
    for (const address of addresses) {
      const timezone = this.#people.get(nameOf({ sub_organization_id, address }))?.timezone ?? null;
      if (timezone !== null) return timezone;
    }
    return null;
  }
}

export const NOBODY_KNOWN = new Persons(new Map());

type Row = PersonAddress & KnownPerson;

/**
 * One statement for all of them; rows only of contacts that say something a start depends on. Indexes:
 * `contact_addresses_pkey`, `contacts_pkey`, `contact_addresses_contact`.
 */
export async function readPersons(db: Db, wanted: readonly PersonAddress[]): Promise<Persons> {
  if (wanted.length === 0) return NOBODY_KNOWN;
  const { rows } = await personsStatement(wanted).execute(db);
  return new Persons(new Map(rows.map((row) => [nameOf(row), row])));
}

/** For tests of its plan, too. */
export const personsStatement = (wanted: readonly PersonAddress[]) => {
  const tenants = wanted.map(({ sub_organization_id }) => sub_organization_id);
  const addresses = wanted.map(({ address }) => address);
  return sql<Row>`
    select w.sub_organization_id, w.address, found.timezone, found.others
    from unnest(${tenants}::bigint[], ${addresses}::text[]) as w (sub_organization_id, address)
    cross join lateral (
      select c.timezone, array(
        select o.address from contact_addresses o
        where o.contact_id = m.contact_id and o.address <> m.address order by o.address
      ) as others
      from contact_addresses m join contacts c on c.id = m.contact_id
      where m.sub_organization_id = w.sub_organization_id and m.address = w.address collate "C"
      ${FOR_EACH}
    ) found
    where found.timezone is not null or cardinality(found.others) > 0`;
};
