/**
 * Paths and placeholders of the scripted model's rules. A placeholder is `{path}`, `{{path}}` or `${path}`; the first is the
 * one to write inside a prompt, because the platform renders prompts first and empties the other two where it knows no such
 * variable. Braces around anything that is no path of ours are left alone, so that text may hold JSON.
 */
import { listed } from "./scripted-words.ts";

/** What a path may begin with: `result`, `user`, the groups of a pattern … */
export type TemplateScope = ReadonlyMap<string, unknown>;

/**
 * `a.b.0` goes down objects and arrays; `*` gathers from every item. Own properties only, so that no path reaches what
 * JavaScript hangs on every object. Undefined where there is nothing.
 */
export function valueAt(scope: TemplateScope, path: string): unknown {
  const [root = "", ...rest] = path.split(".");
  return down(scope.get(root), rest);
}

function down(value: unknown, segments: string[]): unknown {
  const [segment, ...rest] = segments;
  if (segment === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (segment === "*") {
    return Object.values(value)
      .map((item) => down(item, rest))
      .filter((item) => item !== undefined);
  }
  if (segment === "length" && Array.isArray(value)) return value.length;
  return Object.hasOwn(value, segment) ? down((value as Record<string, unknown>)[segment], rest) : undefined;
}

const PLACEHOLDER = /\$\{([\w.*-]+)\}|\{\{\s*([\w.*-]+)\s*\}\}|\{([\w.*-]+)\}/g;

/** Longer than anybody listens to; a long result named over and over would fill the memory. */
const LONGEST_FILLING = 200_000;

/** The text with its placeholders replaced; a known path without a value gives nothing, lists are joined as in speech. */
export function filled(text: string, scope: TemplateScope): string {
  let left = LONGEST_FILLING;
  return text.replaceAll(PLACEHOLDER, (whole, dollar, double, single) => {
    const path: string = dollar ?? double ?? single;
    if (!scope.has(path.split(".")[0] ?? "")) return single === undefined ? "" : whole;
    if (left <= 0) return whole;
    const value = spoken(valueAt(scope, path));
    left -= value.length;
    return value;
  });
}

/** The same inside JSON; a text that is one placeholder and nothing else becomes the value itself, of whatever type. */
export function filledJson(value: unknown, scope: TemplateScope): unknown {
  if (typeof value === "string") {
    const alone = new RegExp(`^(?:${PLACEHOLDER.source})$`).exec(value);
    const path = alone?.[1] ?? alone?.[2] ?? alone?.[3];
    if (path !== undefined && scope.has(path.split(".")[0] ?? "")) return valueAt(scope, path) ?? null;
    return filled(value, scope);
  }
  if (Array.isArray(value)) return value.map((item) => filledJson(item, scope));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledJson(item, scope)]));
}

/** A value in words: "a, b and c" for lists, "key: value" for objects. Anything deeper than a screen is JSON. */
export function spoken(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  if (depth > 3) return jsonText(value);
  if (Array.isArray(value)) return listed(value.map((item) => spoken(item, depth + 1)));
  return Object.entries(value)
    .map(([key, item]) => `${key}: ${spoken(item, depth + 1)}`)
    .join(", ");
}

/** JSON of anything at all: tool results come from outside and may be what JSON can't tell. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "[unreadable]";
  }
}
