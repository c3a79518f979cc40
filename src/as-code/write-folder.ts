import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { stringify } from "yaml";
import type { z } from "zod";
import { Fault, unwritable } from "../base/errors.ts";
import { makeFolder } from "../db/make-folder.ts";
import { escapeReferences } from "./env-references.ts";
import { type Fields, fieldsOf, KINDS, type Kind } from "./kinds.ts";
import { ENVIRONMENTS, FORMAT_FILE, RECORD_FILE } from "./read-folder.ts";
import type { RemoteRecord } from "./remote.ts";

/** Files by their name in the folder. */
export type Files = Map<string, string>;

/** Records as files: the same records give the same bytes. Pure. */
export function filesOf(records: readonly RemoteRecord[]): Files {
  const files: Files = new Map([[FORMAT_FILE, "format: parley-folder-1\n"]]);
  for (const kind of KINDS)
    for (const record of records.filter((each) => each.kind === kind)) {
      const slug = slugOf(record.key);
      let file = `${kind.name}/${slug}.yaml`;
      for (let number = 2; files.has(file); number++) file = `${kind.name}/${slug}-${number}.yaml`;
      files.set(file, textOf(record));
    }
  return files;
}

const slugOf = (key: string): string =>
  key
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60) || "record";

/** Fields in one order; what says nothing is left out. Secrets are references, never values. */
function textOf({ kind, fields, references }: RemoteRecord): string {
  const written: Fields = {};
  for (const field of fieldsOf(kind)) {
    const value = fields[field];
    if (value === null || value === undefined || (isEmpty(value) && mayBeAbsent(kind, field))) continue;
    written[field] = field === kind.secrets ? withReferences(value, references) : escapeReferences(value);
  }
  return stringify(written, { lineWidth: 0, aliasDuplicateObjects: false });
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** Whether a file without the field says the same as one with an empty one. */
function mayBeAbsent(kind: Kind, field: string): boolean {
  const absent = (kind.schema.shape[field] as z.ZodType).safeParse(undefined);
  return absent.success && (absent.data == null || isEmpty(absent.data));
}

const withReferences = (secrets: Fields, references: Record<string, string>): Fields =>
  Object.fromEntries(
    Object.entries(secrets).map(([key, value]) => [key, references[key] ?? escapeReferences(value)]),
  );

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
  await replaceFiles(folder, files).catch((error) => {
    throw unwritable(folder, error);
  });
}

async function replaceFiles(folder: string, files: Files): Promise<void> {
  for (const { name } of KINDS) {
    const own = await readdir(path.join(folder, name)).catch((): string[] => []);
    for (const file of own) if (RECORD_FILE.test(file)) await rm(path.join(folder, name, file));
  }
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await makeFolder(path.dirname(target), 0o777);
    await writeFile(target, text);
  }
  await makeFolder(path.join(folder, ENVIRONMENTS), 0o777);
}
