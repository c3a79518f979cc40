import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { documentSealer, SEALED_MARK, type TextKey } from "../base/sealed-text.ts";
import type { Db } from "../db/database.ts";

/** What somebody noted of a person, in words. */
export type ContactWords = { name: string | null; notes: string | null; key: string | null };

/** The same as it is stored: in clear, or sealed and with hashes by which the key and the whole name are found. */
export type StoredContactWords = ContactWords & { name_hash: string | null; key_hash: string | null };

/** How a sub-organization's contacts are stored now, and how those are found that were stored before. */
export type ContactSeal = {
  /** Names the key that seals; null: words are stored in clear. */
  key_id: number | null;
  stored(words: ContactWords): StoredContactWords;
  /** A hash for each key that may have sealed it; none: nothing was ever sealed. */
  keyHashes(key: string): string[];
  nameHashes(name: string): string[];
};

/** Spaces and case are not what tells two names apart. */
const plainName = (name: string): string => name.normalize("NFC").trim().toLowerCase().replace(/\s+/g, " ");

const hashWith = (
  { key }: TextKey,
  what: "key" | "name",
  sub_organization_id: number,
  value: string,
): string =>
  createHmac("sha256", key).update(`contact-${what}\n${sub_organization_id}\n${value}`).digest("base64url");

/**
 * The keys are the organization's, which are never removed once they sealed texts. One statement; organizations that never
 * sealed have no key. Index: data_keys_in_use for the one in use; the others are a handful.
 */
export async function contactSeal(db: Db, vault: Vault, sub_organization_id: number): Promise<ContactSeal> {
  const { rows } = await sql<{ id: number; sealed_key: string; is_in_use: boolean }>`
    select k.id, k.sealed_key, o.seals_texts and k.retired_at is null as is_in_use
    from sub_organizations s
    join organizations o on o.id = s.organization_id
    join data_keys k on k.organization_id = o.id and (k.seals_texts or o.seals_texts and k.retired_at is null)
    where s.id = ${sub_organization_id} order by k.id desc`.execute(db);
  const keys = rows.map(({ id, sealed_key, is_in_use }) => ({
    id,
    is_in_use,
    key: Buffer.from(vault.open(sealed_key), "base64url"),
  }));
  const current = keys.find(({ is_in_use }) => is_in_use) ?? null;
  const sealed = current && documentSealer(current);
  const seal = (text: string | null) => (sealed && text !== null ? sealed(JSON.stringify(text)) : text);
  const hashes = (what: "key" | "name", value: string) =>
    keys.map((key) => hashWith(key, what, sub_organization_id, value));
  const hash = (what: "key" | "name", value: string | null) =>
    current === null || value === null ? null : hashWith(current, what, sub_organization_id, value);
  return {
    key_id: current?.id ?? null,
    stored: ({ name, notes, key }) => ({
      name: seal(name),
      notes: seal(notes),
      key: seal(key),
      name_hash: hash("name", name === null ? null : plainName(name)),
      key_hash: hash("key", key),
    }),
    keyHashes: (key) => hashes("key", key),
    nameHashes: (name) => hashes("name", plainName(name)),
  };
}

/** For what only names the fields of a list. */
export const NO_SEAL: ContactSeal = {
  key_id: null,
  stored: (words) => ({ ...words, name_hash: null, key_hash: null }),
  keyHashes: () => [],
  nameHashes: () => [],
};

/** What the audit log keeps of a record's words where they are sealed: it outlives the record. */
export const SEALED_WORD = "(sealed)";

/** What all values begin with that this key sealed. */
export const sealedWith = (key_id: number): string => `${SEALED_MARK}${key_id}:`;
