import type { ParleyClient } from "../../sdk/typescript/client.ts";
import { referenceTo } from "./env-references.ts";
import { type Fields, fieldsOf, KINDS, type Kind, type KindName } from "./kinds.ts";

/** A record as the organization has it, in the shape of a file. */
export type RemoteRecord = { kind: Kind; key: string; id: number; fields: Fields; record: Fields };

export type Remote = {
  records: RemoteRecord[];
  /** The number of each record by kind and name, built-in ones too. */
  ids: Map<KindName, Map<string, number>>;
};

/** Everything that a folder can hold, as the organization has it now. */
export async function readRemote(parley: ParleyClient): Promise<Remote> {
  const lists = await Promise.all(KINDS.map(async (kind) => ({ kind, found: await kind.list(parley) })));
  const ids: Remote["ids"] = new Map();
  const names = new Map<KindName, Map<number, string>>();
  for (const { kind, found } of lists) {
    ids.set(kind.name, new Map(found.map((record) => [kind.keyOf(record), record.id])));
    names.set(kind.name, new Map(found.map((record) => [record.id, kind.keyOf(record)])));
  }
  const records = lists.flatMap(({ kind, found }) =>
    found
      .filter((record) => !kind.isBuiltIn?.(record))
      .map((record) => ({
        kind,
        key: kind.keyOf(record),
        id: record.id,
        fields: asFile(kind, record, names),
        record,
      }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  );
  return { records, ids };
}

/** Names in the place of numbers, and of the rest what the API takes. */
function asFile(kind: Kind, record: Fields, names: Map<KindName, Map<number, string>>): Fields {
  const given: Fields = {};
  for (const field of fieldsOf(kind)) if (record[field] != null) given[field] = record[field];
  if (kind.name === "services" && record.auth_value_keys?.length > 0)
    given.auth_values = Object.fromEntries(
      record.auth_value_keys.map((key: string) => [
        key,
        key === "auth_url" && record.auth_url != null
          ? record.auth_url
          : referenceTo(variableOf([record.name, key])),
      ]),
    );
  const parsed = kind.schema.safeParse(given);
  const fields: Fields = parsed.success ? { ...parsed.data } : given;
  for (const reference of kind.references)
    fields[reference.field] = names.get(reference.kind)?.get(record[reference.id]) ?? null;
  return fields;
}

/** The variable that an export gives to a secret: `STRIPE_API_TOKEN`. */
export const variableOf = (parts: string[]): string => {
  const name = parts
    .join("_")
    .normalize("NFKD")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return /^[A-Z_]/.test(name) ? name : `SECRET_${name}`;
};
