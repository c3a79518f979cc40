import { sql } from "kysely";
import { z } from "zod";
import type { ContactSeal } from "../address-book/contact-seal.ts";
import {
  ADDRESSES,
  type ContactFields,
  hasKey,
  type ContactRecord as StoredContact,
} from "../address-book/contact-store.ts";
import { MOST_ADDRESSES } from "../address-book/merge-by-key.ts";
import { canonicalTimezone } from "../agents/timezone.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import { SEALED_MARK } from "../base/sealed-text.ts";
import type { Db } from "../db/database.ts";
import { spellingsOf } from "../erasure/person-address.ts";

export const AddressParam = z
  .string()
  .min(6)
  .max(320)
  .describe("A telephone number in E.164 format, an e-mail address, or the id of a signed-in chat visitor.");

const text = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .nullable()
    .default(null)
    .transform((value) => (value === "" ? null : value));

const isLanguage = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

export const ContactUpdateRequest = z
  .strictObject({
    name: text(200),
    timezone: z
      .string()
      .refine((zone) => canonicalTimezone(zone) !== null, {
        error: "Input should be a time zone such as America/Chicago",
      })
      .transform((zone) => canonicalTimezone(zone) as string)
      .nullable()
      .default(null)
      .describe("The person's own. Used where a request names none, before the area of the number."),
    language: z
      .string()
      .max(35)
      .refine(isLanguage, { error: "Input should be a language such as en or es-MX" })
      .nullable()
      .default(null)
      .describe("BCP 47. For people who read the record; conversations do not use it."),
    notes: text(10_000),
    key: text(200).describe(
      "What your own systems call the person. Requests with this value in the contact key variable add their address.",
    ),
  })
  .meta({ id: "ContactUpdateRequest" });

export const ContactCreateRequest = ContactUpdateRequest.extend({
  addresses: z.array(AddressParam).min(1).max(MOST_ADDRESSES),
}).meta({ id: "ContactCreateRequest" });

export const ContactRecord = z
  .object({
    id: z.int(),
    name: z.string().nullable(),
    timezone: z.string().nullable(),
    language: z.string().nullable(),
    notes: z.string().nullable(),
    key: z.string().nullable(),
    addresses: z.array(
      z.object({
        address: z.string(),
        linked_at: timestamp(),
        linked_through: z
          .enum(["operator", "request", "session"])
          .describe(
            "`request`: by the key that a request of a campaign carried; `session`: the person called or wrote.",
          ),
        linked_by: z.string().nullable(),
      }),
    ),
    created_at: timestamp(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "ContactRecord" }) satisfies z.ZodType<StoredContact>;

/** By a whole address in any spelling. Index: contact_addresses_pkey. */
const hasAddress = (sub_organization_id: number): list.ListField => ({
  match: (value) =>
    value.trim().length < 6
      ? { problem: "Enter a whole number or address" }
      : sql`c.id in (
          select contact_id from contact_addresses
          where sub_organization_id = ${sub_organization_id} and address = any(${spellingsOf(value)}::text[]))`,
  order: null,
});

/** Contains, of what lies in clear: what is sealed has no letters that could be looked for. */
const clear = (name: string): list.ListField => {
  const { match, order } = list.text(name);
  return list.read({
    match: (value) => sql`(${match(value)} and not starts_with(${sql.ref(name)}, ${SEALED_MARK}::text))`,
    order,
  });
};

/** A sealed name is found as a whole, in any case. Index: contacts_name_hash. */
const nameField = (seal: ContactSeal): list.ListField => {
  const plain = clear("c.name");
  return {
    ...plain,
    match: (value) => {
      const hashes = seal.nameHashes(value);
      return hashes.length === 0
        ? plain.match(value)
        : sql`(c.name_hash = any(${hashes}::text[]) or ${plain.match(value)})`;
    },
  };
};

const OTHERS = {
  timezone: list.read(list.exact("c.timezone")),
  notes: clear("c.notes"),
  updated_at: list.time("c.updated_at"),
  last_updated_by: list.read(list.text("c.last_updated_by")),
};

export const contactList = (sub_organization_id: number, seal: ContactSeal) =>
  ({
    fields: {
      name: nameField(seal),
      key: { match: (value) => hasKey(seal, value), order: sql.ref("c.key") },
      ...OTHERS,
      address: hasAddress(sub_organization_id),
    },
    time: "c.updated_at",
    order: [
      { column: "c.updated_at", direction: "desc" },
      { column: "c.id", direction: "desc" },
    ],
    countUpTo: 10_000,
    isLong: true,
  }) satisfies list.ListRules;

/** Index: contacts_listed. */
export const selectContacts = (db: Db, { sub_organization_id }: Caller) =>
  db
    .selectFrom("contacts as c")
    .where("c.sub_organization_id", "=", sub_organization_id)
    .select(["c.id", "c.key", "c.name", "c.timezone", "c.language", "c.notes"])
    .select(["c.created_at", "c.updated_at", "c.last_updated_by"])
    .select(ADDRESSES.as("addresses"));

export const fieldsOf = ({ name, timezone, language, notes, key }: ContactFields): ContactFields => ({
  name,
  timezone,
  language,
  notes,
  key,
});
