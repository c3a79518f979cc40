import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { documentSealer, sealText, type TextKey } from "../base/sealed-text.ts";
import type { Db } from "../db/database.ts";
import { addressMarks, fitsIndex } from "./address-marks.ts";
import { Redactor, type SealKey } from "./redactor.ts";

/** Seals the texts of a value, at any depth; gives it back as it is where its organization doesn't seal. */
export type TextSealer = <T>(value: T) => T;

const asItIs: TextSealer = (value) => value;

/** `scope`: within which equal texts are stored alike. */
export function textSealer(vault: Vault, seal_key: SealKey | null, scope: string): TextSealer {
  if (seal_key === null) return asItIs;
  const rules = { kinds: [], patterns: [], originals_days: 0, seal_key };
  const redactor = new Redactor(rules, { scope, vault, year: 0 });
  return (value) => redactor.seal(value);
}

/**
 * Seals a JSON document as one value, with the names of its members; one without content stays. It is read as the document
 * that it was.
 */
export type DocumentSealer = (document: object) => object | string;

/** For few documents. `scope`: within which equal ones are stored alike. */
export async function organizationDocuments(
  db: Db,
  vault: Vault,
  sub_organization_id: number,
  scope: string,
): Promise<DocumentSealer> {
  const key = await organizationKey(db, vault, sub_organization_id);
  return (document) =>
    key === null || Object.keys(document).length === 0 ? document : sealText(key, scope, document);
}

/**
 * Marks of the addresses in a document (address-marks.ts), as bytea is spelled; null where the organization doesn't seal, and
 * where there are too many for an index.
 */
export type AddressMarker = (json: string, how: { isIndexed: boolean }) => string | null;

export async function organizationMarks(
  db: Db,
  vault: Vault,
  sub_organization_id: number,
): Promise<AddressMarker> {
  const key = await organizationKey(db, vault, sub_organization_id);
  return (json, { isIndexed }) => {
    const marks = key && addressMarks(key, json);
    return marks === null || (isIndexed && !fitsIndex(marks)) ? null : `\\x${marks.toString("hex")}`;
  };
}

/** The same for documents by the thousand: from JSON to the JSON that is stored. */
export type JsonSealer = (json: string) => string;

/** Null where the organization doesn't seal. */
export async function organizationJsonSealer(
  db: Db,
  vault: Vault,
  sub_organization_id: number,
): Promise<JsonSealer | null> {
  const key = await organizationKey(db, vault, sub_organization_id);
  if (key === null) return null;
  const seal = documentSealer(key);
  return (json) => (json === "{}" || json === "[]" ? json : `"${seal(json)}"`);
}

/** Whether what is stored now is sealed. Index: data_keys_in_use. */
export const sealsTexts = async (db: Db, sub_organization_id: number): Promise<boolean> =>
  (await sealKeys(db, [sub_organization_id])).has(sub_organization_id);

async function organizationKey(db: Db, vault: Vault, sub_organization_id: number): Promise<TextKey | null> {
  const found = (await sealKeys(db, [sub_organization_id])).get(sub_organization_id);
  return found ? { id: found.id, key: Buffer.from(vault.open(found.sealed_key), "base64url") } : null;
}

/** The keys of several; those that don't seal are left out. */
export async function sealKeys(db: Db, sub_organization_ids: number[]): Promise<Map<number, SealKey>> {
  if (sub_organization_ids.length === 0) return new Map();
  const { rows } = await sql<SealKey & { of: number }>`
    select s.id as of, k.id, k.sealed_key from sub_organizations s
    join organizations o on o.id = s.organization_id and o.seals_texts
    join data_keys k on k.organization_id = o.id and k.retired_at is null
    where s.id = any(${sub_organization_ids}::bigint[])`.execute(db);
  return new Map(rows.map(({ of, ...key }) => [of, key]));
}
