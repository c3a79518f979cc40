import { type ContactRecord, findContact } from "../address-book/contact-store.ts";
import type { Caller } from "../api/caller.ts";
import { invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { spellingsOf } from "../erasure/person-address.ts";
import type { ContactPerson } from "./contact-entries.ts";

/** A person by one of their addresses. `record` null: nothing is noted of them, and the address stands alone. */
export type ShownContact = ContactPerson & {
  /** The address that was asked for, as it is stored. */
  address: string;
  /** All of them, that one first. */
  addresses: string[];
  record: ContactRecord | null;
};

export async function contactOf(
  db: Db,
  { sub_organization_id: tenant }: Caller,
  given: string,
): Promise<ShownContact> {
  const own = addressSpellings(given);
  const address = own[0] as string;
  const record = await findContact(db, tenant, address);
  const linked = (record?.addresses ?? []).map((each) => each.address);
  const addresses = [...new Set([address, ...linked])];
  return { tenant, address, addresses, spellings: [...new Set([...own, ...addresses])], record };
}

/** The stored spelling of an address in a path first. */
export function addressSpellings(given: string): string[] {
  if (given.trim().length < 6)
    throw invalid(
      ["path", "address"],
      "Enter at least 6 characters of a number, an e-mail address or an id.",
    );
  return spellingsOf(given);
}
