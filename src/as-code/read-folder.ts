import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { readTextFile } from "../api/input/text-file.ts";
import { type FileFault, placesIn, readYaml, shownPath } from "../api/input/yaml-file.ts";
import { unreadable } from "../base/errors.ts";
import { type Missing, notAReference, resolveReferences, type UsedValue } from "./env-references.ts";
import { fileSchema } from "./file-schema.ts";
import { type Fields, KINDS, type Kind } from "./kinds.ts";

/** A record as the folder wants it. */
export type FileRecord = {
  kind: Kind;
  key: string;
  fields: Fields;
  /** From the folder: `tools/book-visit.yaml`. */
  file: string;
  place(path: readonly (string | number)[]): { line: number; column: number };
  /** Secrets without a value, which only a step that sends them needs. */
  missing: Missing[];
  /** Values that came from the environment. */
  used: UsedValue[];
};

type FolderRead = {
  records: FileRecord[];
  /** Sentences, each with file and line. */
  faults: string[];
  /** Values that came from the environment, of all files. */
  used: UsedValue[];
};

export const FORMAT_FILE = "parley.yaml";
export const ENVIRONMENTS = "environments";
/** What else lies beside the records is not read. */
export const RECORD_FILE = /\.ya?ml$/i;
const Format = z.strictObject({ format: z.literal("parley-folder-1") });

type Env = (name: string) => string | undefined;

/** Every record of a folder, or all that is wrong with it. */
export async function readFolder(folder: string, env: Env): Promise<FolderRead> {
  const read: FolderRead = { records: [], faults: [], used: [] };
  const names = await readdir(folder).catch((error) => error as Error);
  if (names instanceof Error) return { ...read, faults: [unreadable(folder, names)] };
  const format = await readTextFile(path.join(folder, FORMAT_FILE)).catch(() => null);
  if (format === null) {
    const hint = `It has no ${FORMAT_FILE}. Make one with ./parley export.`;
    return { ...read, faults: [`${folder} is not a folder of Parley's configuration. ${hint}`] };
  }
  const readFormat = readYaml(format, Format);
  if (!readFormat.ok) read.faults.push(...readFormat.faults.map((fault) => told(FORMAT_FILE, fault)));

  for (const entry of names.toSorted()) {
    const kind = KINDS.find(({ name }) => name === entry);
    if (!(await isFolder(path.join(folder, entry)))) {
      if (kind) read.faults.push(`${entry} is no folder.`);
    } else if (kind) await readKind(folder, kind, env, read);
    else if (entry !== ENVIRONMENTS)
      read.faults.push(`${entry}: There is no such kind. Kinds: ${kindNames}.`);
  }
  refuseTwins(read);
  return read;
}

/** Also one that a link leads to; not one that is hidden, which belongs to other programs. */
const isFolder = async (named: string): Promise<boolean> =>
  !path.basename(named).startsWith(".") && ((await stat(named).catch(() => null))?.isDirectory() ?? false);

const kindNames = KINDS.map(({ name }) => name).join(", ");

export const told = (file: string, { path: at, line, column, message }: FileFault): string =>
  `${file}:${line}:${column}: ${at.length > 0 ? `${shownPath(at)}: ` : ""}${message}`;

async function readKind(folder: string, kind: Kind, env: Env, read: FolderRead): Promise<void> {
  const schema = fileSchema(kind);
  for (const name of (await readdir(path.join(folder, kind.name))).toSorted()) {
    const file = `${kind.name}/${name}`;
    if (await isFolder(path.join(folder, file))) {
      read.faults.push(`${file}: Folders in here are not read. Move its files into ${kind.name}.`);
      continue;
    }
    if (!RECORD_FILE.test(name)) continue;
    const text = await readTextFile(path.join(folder, file)).catch((error) => error as Error);
    if (typeof text !== "string") {
      read.faults.push(unreadable(file, text));
      continue;
    }
    const document = readYaml(text, z.unknown());
    if (!document.ok) {
      read.faults.push(...document.faults.map((fault) => told(file, fault)));
      continue;
    }
    const { value, missing, malformed, used } = resolveReferences(document.value, env);
    const place = placesIn(text);
    read.used.push(...used);
    for (const { path: at, written } of malformed)
      read.faults.push(told(file, { path: at, ...place(at), message: notAReference(written) }));
    const needed = missing.filter(({ path: [field] }) => kind.name !== "services" || field !== kind.secrets);
    for (const { path: at, name: variable } of needed)
      read.faults.push(
        told(file, { path: at, ...place(at), message: `The environment has no ${variable}. Set it.` }),
      );
    const parsed = readYaml(JSON.stringify(value ?? null), schema);
    if (!parsed.ok)
      read.faults.push(...parsed.faults.map((fault) => told(file, { ...fault, ...place(fault.path) })));
    else
      read.records.push({
        kind,
        key: kind.keyOf(parsed.value),
        fields: parsed.value,
        file,
        place,
        missing,
        used,
      });
  }
}

/** A name is what tells records apart. */
function refuseTwins(read: FolderRead): void {
  const first = new Map<string, string>();
  for (const { kind, key, file, place } of read.records) {
    const other = first.get(`${kind.name} ${key}`);
    if (other === undefined) first.set(`${kind.name} ${key}`, file);
    else {
      const message = `${other} has the name "${key}", too. Rename one of the two.`;
      read.faults.push(told(file, { path: ["name"], ...place(["name"]), message }));
    }
  }
}
