import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { stringify } from "yaml";
import { Fault } from "../base/errors.ts";
import { escapeReferences, referenceTo } from "./env-references.ts";
import { type Fields, fieldsOf, KINDS, type Kind } from "./kinds.ts";
import { ENVIRONMENTS, FORMAT_FILE } from "./read-folder.ts";
import { type RemoteRecord, variableOf } from "./remote.ts";

/** Files by their name in the folder. */
export type Files = Map<string, string>;

/** Records as files: the same records give the same bytes. Pure. */
export function filesOf(records: readonly RemoteRecord[]): Files {
  const files: Files = new Map([[FORMAT_FILE, "format: parley-folder-1\n"]]);
  for (const kind of KINDS)
    for (const { key, fields } of records.filter((record) => record.kind === kind)) {
      const slug = slugOf(key);
      let file = `${kind.name}/${slug}.yaml`;
      for (let number = 2; files.has(file); number++) file = `${kind.name}/${slug}-${number}.yaml`;
      files.set(file, textOf(kind, fields));
    }
  return files;
}

const slugOf = (key: string): string =>
  key
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60) || "record";

/** Fields in one order; what says nothing is left out. Secrets are references, never values. */
function textOf(kind: Kind, fields: Fields): string {
  const written: Fields = {};
  for (const field of fieldsOf(kind)) {
    const value = fields[field];
    if (value === null || value === undefined || isEmpty(value)) continue;
    written[field] = field === kind.secrets ? secretsOf(kind, fields) : escapeReferences(value);
  }
  return stringify(written, { lineWidth: 0, aliasDuplicateObjects: false });
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

function secretsOf(kind: Kind, fields: Fields): Fields {
  const values: Fields = fields[kind.secrets ?? ""];
  // Of a service they are references already, since the API never tells them; only an address is told as it is.
  if (kind.name === "services")
    return Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        value === referenceTo(variableOf([fields.name, key])) ? value : escapeReferences(value),
      ]),
    );
  return Object.fromEntries(
    Object.keys(values).map((key) => [key, referenceTo(variableOf([kind.keyOf(fields), key]))]),
  );
}

/**
 * Writes an export. A folder that holds something is only written to when it is replaced: then its records' files go, and
 * all else in it stays.
 */
export async function writeFolder(folder: string, files: Files, replace: boolean): Promise<void> {
  const there = await readdir(folder).catch((): string[] => []);
  if (there.length > 0 && !replace)
    throw new Fault("refused", `${folder} is not empty. Say --replace to write its records anew.`);
  if (there.length > 0 && !there.includes(FORMAT_FILE))
    throw new Fault(
      "refused",
      `${folder} holds something else: it has no ${FORMAT_FILE}. Name an empty folder.`,
    );
  for (const { name } of KINDS) {
    const own = await readdir(path.join(folder, name)).catch((): string[] => []);
    for (const file of own) if (/\.ya?ml$/.test(file)) await rm(path.join(folder, name, file));
  }
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  await mkdir(path.join(folder, ENVIRONMENTS), { recursive: true });
}
