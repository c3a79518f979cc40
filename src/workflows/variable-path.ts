import { storableJson } from "../base/storable.ts";
import { isRecord, own } from "../expressions/member.ts";
import { isSystemVariable, VOICE } from "../tools/system-variable.ts";

/*
 * Where a workflow may write. `local.x`, `inputs.x` and `output.x` are its own; any other path is a variable of the
 * conversation, whose keys may have dots in them (`vars.pcp`). Nothing is changed in place: a write gives a new root.
 */

export type PathMembers = Record<string, unknown>;

type WritePath =
  | { ok: true; scope: "local" | "inputs" | "output"; path: string[] }
  | { ok: true; scope: "global"; key: string; path: string[] }
  | { ok: false; why: string };

/** A value past this is not kept: a workflow that doubles a text at every visit would fill the database. */
export const MAX_VALUE_CHARACTERS = 256 * 1024;
/** A list is not made longer than this by naming a place in it. */
const MAX_INDEX = 999;
const MAX_PARTS = 32;

/** `has`: whether the conversation has a variable of this key. */
export function writePath(name: string, has: (key: string) => boolean): WritePath {
  const parts = name.split(".");
  const [first] = parts as [string];
  if (parts.length > MAX_PARTS || parts.some((part) => part.trim() === "" || part === "__proto__")) {
    return { ok: false, why: `"${name}" is no place to write to.` };
  }
  if (first === "local" || first === "inputs" || first === "output") {
    if (parts.length === 1 && first !== "output") {
      return { ok: false, why: `"${name}" is no place to write to; name one of its values.` };
    }
    return { ok: true, scope: first, path: parts.slice(1) };
  }
  if (name === VOICE) return { ok: true, scope: "global", key: VOICE, path: [] };
  if (isSystemVariable(name))
    return { ok: false, why: `"${name}" is set by the program and can't be written.` };
  return { ok: true, scope: "global", ...globalKey(parts, has) };
}

/** The longest key that is there, with or without `vars.` as when reading; else a new key of the name's first part. */
function globalKey(parts: string[], has: (key: string) => boolean): { key: string; path: string[] } {
  for (let length = parts.length; length > 0; length--) {
    const key = parts.slice(0, length).join(".");
    const other = key.startsWith("vars.") ? key.slice("vars.".length) : `vars.${key}`;
    for (const candidate of [key, other]) {
      if (has(candidate)) return { key: candidate, path: parts.slice(length) };
    }
  }
  const length = parts[0] === "vars" ? 2 : 1;
  return { key: parts.slice(0, length).join("."), path: parts.slice(length) };
}

/** `root` with the value at the path; objects on the way are made, lists are indexed. null: the path can't be. */
export function withValue(root: unknown, path: readonly string[], value: unknown): { root: unknown } | null {
  const [part, ...rest] = path;
  if (part === undefined) return { root: value };
  if (Array.isArray(root)) {
    const index = /^\d{1,4}$/.test(part) ? Number(part) : Number.NaN;
    if (!(index <= MAX_INDEX)) return null;
    const inner = withValue(root[index], rest, value);
    if (!inner) return null;
    const copy = Array.from({ length: Math.max(root.length, index + 1) }, (_, at) => root[at] ?? null);
    copy[index] = inner.root;
    return { root: copy };
  }
  if (root !== null && root !== undefined && !isRecord(root)) return null;
  const inner = withValue(own(root, part), rest, value);
  return inner && { root: { ...(root as PathMembers | null), [part]: inner.root } };
}

/** As JSON has it, so that what is stored reads back equal; null when it is too large. */
export function storable(value: unknown): { value: unknown } | null {
  if (value === undefined || value === null) return { value: null };
  if (typeof value === "boolean") return { value };
  const text = JSON.stringify(storableJson(value));
  return text === undefined || text.length > MAX_VALUE_CHARACTERS ? null : { value: JSON.parse(text) };
}
