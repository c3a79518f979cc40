import { createHash } from "node:crypto";
import { mentionedNames } from "../tools/issues/tool-issues.ts";
import { changesOf, type FieldChange } from "./changes.ts";
import { KINDS, type KindName } from "./kinds.ts";
import { type FileRecord, told } from "./read-folder.ts";
import type { Remote, RemoteRecord } from "./remote.ts";

export type PlanStep =
  | { action: "create"; wanted: FileRecord }
  | { action: "update"; wanted: FileRecord; actual: RemoteRecord; changes: FieldChange[]; sends: boolean }
  | { action: "delete"; actual: RemoteRecord };

export type FolderPlan = {
  /** In the order in which they are done. */
  steps: PlanStep[];
  unchanged: number;
  /** In the organization, and in no file. */
  others: RemoteRecord[];
  /** What keeps it from being done, each with file and line. */
  faults: string[];
  /** The same for the same changes of the same records. */
  fingerprint: string;
};

export type PlanOptions = {
  /** Deletes what is in no file. */
  prune: boolean;
  /** Sends every secret again: the organization can't tell whether one has another value. */
  secrets: boolean;
};

/** What makes an organization the same as a folder. Pure. */
export function makePlan(wanted: readonly FileRecord[], remote: Remote, options: PlanOptions): FolderPlan {
  const actual = new Map(remote.records.map((record) => [keyOf(record), record]));
  const steps: PlanStep[] = [];
  let unchanged = 0;
  for (const record of inOrder(wanted)) {
    const found = actual.get(keyOf(record));
    if (!found) {
      steps.push({ action: "create", wanted: record });
      continue;
    }
    const changes = changesOf(record.kind, record.fields, found.fields);
    const hasSecrets =
      record.kind.name === "services" && Object.keys(record.fields.auth_values ?? {}).length > 0;
    const sends =
      hasSecrets && (options.secrets || changes.some(({ path: [field] }) => MOVES.has(String(field))));
    if (changes.length === 0 && !sends) unchanged++;
    else steps.push({ action: "update", wanted: record, actual: found, changes, sends });
  }
  const named = new Set(wanted.map(keyOf));
  const others = remote.records.filter((record) => !named.has(keyOf(record)));
  if (options.prune) for (const record of inReverse(others)) steps.push({ action: "delete", actual: record });
  const faults = [
    ...unknownNames(wanted, remote, options.prune ? new Set(others.map(keyOf)) : new Set()),
    ...steps.flatMap(missingSecrets),
  ];
  return { steps, unchanged, others, faults, fingerprint: fingerprintOf(steps) };
}

/** A service whose credentials are of another kind or go elsewhere takes all of them again. */
const MOVES = new Set(["auth_type", "auth_values", "auth_url", "allowed_hosts"]);

const keyOf = ({ kind, key }: { kind: { name: KindName }; key: string }): string => `${kind.name} ${key}`;

/** By kind, tools after those that they call, and by name. */
function inOrder(records: readonly FileRecord[]): FileRecord[] {
  const sorted = records.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return KINDS.flatMap((kind) => {
    const own = sorted.filter((record) => record.kind === kind);
    if (kind.name !== "tools") return own;
    const byName = new Map(own.map((record) => [record.key, record]));
    const ordered = new Set<FileRecord>();
    const add = (record: FileRecord, callers: readonly string[]): void => {
      if (callers.includes(record.key)) return;
      for (const called of mentionedNames(record.fields.definition).called) {
        const tool = byName.get(called);
        if (tool) add(tool, [...callers, record.key]);
      }
      ordered.add(record);
    };
    for (const record of own) if (!ordered.has(record)) add(record, []);
    return [...ordered];
  });
}

const inReverse = (records: readonly RemoteRecord[]): RemoteRecord[] =>
  KINDS.toReversed().flatMap((kind) => records.filter((record) => record.kind === kind));

/** Names of records that neither the folder nor the organization has. */
function unknownNames(wanted: readonly FileRecord[], { ids }: Remote, gone: Set<string>): string[] {
  const inFolder = new Set(wanted.map(keyOf));
  const isThere = (kind: KindName, name: string): boolean =>
    inFolder.has(`${kind} ${name}`) || ((ids.get(kind)?.has(name) ?? false) && !gone.has(`${kind} ${name}`));
  return wanted.flatMap(({ kind, fields, file, place }) =>
    [...kind.references, ...kind.mentions].flatMap(({ field, kind: named }) =>
      [fields[field] ?? []].flat().flatMap((name: string, at) => {
        if (isThere(named, name)) return [];
        const path = Array.isArray(fields[field]) ? [field, at] : [field];
        const message = `There is no "${name}" in ${named}, neither in the folder nor in the organization.`;
        return [told(file, { path, ...place(path), message })];
      }),
    ),
  );
}

function missingSecrets(step: PlanStep): string[] {
  if (step.action === "delete" || (step.action === "update" && !step.sends)) return [];
  const { missing, file, place } = step.wanted;
  return missing.map(({ path, name }) =>
    told(file, { path, ...place(path), message: `The environment has no ${name}. Set it.` }),
  );
}

function fingerprintOf(steps: readonly PlanStep[]): string {
  const said = steps.map((step) =>
    step.action === "create"
      ? ["create", keyOf(step.wanted), step.wanted.fields]
      : step.action === "delete"
        ? ["delete", keyOf(step.actual), step.actual.id]
        : ["update", keyOf(step.wanted), step.actual.id, step.changes, step.sends],
  );
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 12);
}
