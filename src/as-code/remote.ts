import type { ParleyClient } from "../../sdk/typescript/client.ts";
import { referenceTo } from "./env-references.ts";
import { type Fields, fieldsOf, KINDS, type Kind, type KindName } from "./kinds.ts";
import { secretVariables } from "./secret-variables.ts";

/** A record as the organization has it, in the shape of a file. */
export type RemoteRecord = {
  kind: Kind;
  key: string;
  id: number;
  fields: Fields;
  record: Fields;
  /** What a file says instead of each secret. */
  references: Record<string, string>;
};

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
  const own = lists.flatMap(({ kind, found }) =>
    found
      .filter((record) => !kind.isBuiltIn?.(record))
      .map((record) => ({ kind, key: kind.keyOf(record), id: record.id, record }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  );
  const references = referencesOf(own);
  const records = own.map((each, at) => {
    const given = references[at] as Record<string, string>;
    return { ...each, references: given, fields: asFile(each.kind, each.record, names, given) };
  });
  return { records, ids };
}

/** For each record what an export says instead of its secrets. */
function referencesOf(
  records: readonly Omit<RemoteRecord, "fields" | "references">[],
): Record<string, string>[] {
  const secrets = records.map(({ kind, record }) => secretsOf(kind, record));
  const places = records.flatMap(({ kind, key }, at) =>
    (secrets[at] ?? []).map((secret) => ({ kind: kind.name, record: key, secret })),
  );
  const variables = secretVariables(places).values();
  return secrets.map((own) =>
    Object.fromEntries(own.map((secret) => [secret, referenceTo(variables.next().value as string)])),
  );
}

/** The API never tells the credentials of a service, only what they are called; the address of an OAuth service is none. */
function secretsOf(kind: Kind, record: Fields): string[] {
  if (kind.secrets === undefined) return [];
  if (kind.name !== "services") return Object.keys(record[kind.secrets] ?? {});
  const isTold = (key: string) => key === "auth_url" && record.auth_url != null;
  return (record.auth_value_keys ?? []).filter((key: string) => !isTold(key));
}

/** Names in the place of numbers, and of the rest what the API takes. */
function asFile(
  kind: Kind,
  record: Fields,
  names: Map<KindName, Map<number, string>>,
  references: Record<string, string>,
): Fields {
  const given: Fields = {};
  for (const field of fieldsOf(kind)) if (record[field] != null) given[field] = record[field];
  if (kind.name === "services" && record.auth_value_keys?.length > 0)
    given.auth_values = Object.fromEntries(
      record.auth_value_keys.map((key: string) => [key, references[key] ?? record.auth_url]),
    );
  const parsed = kind.schema.safeParse(given);
  const fields: Fields = parsed.success ? { ...parsed.data } : given;
  for (const reference of kind.references)
    fields[reference.field] = names.get(reference.kind)?.get(record[reference.id]) ?? null;
  return fields;
}
