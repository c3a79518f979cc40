import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { errorText } from "../base/errors.ts";
import type { Path } from "./validation-issue.ts";

/*
 * Whether a JSON Schema that a user wrote can be run: its keywords are right, its patterns compile, its references
 * lead somewhere. Nothing of it is executed here.
 */

export type SchemaProblem = { path: Path; message: string; value?: unknown };

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
const draft07 = new Ajv(OPTIONS).getSchema("http://json-schema.org/draft-07/schema");
const draft2020 = new Ajv2020(OPTIONS).getSchema("https://json-schema.org/draft/2020-12/schema");

/** More than anyone mends in one go. */
const MAX_PROBLEMS = 20;

export function jsonSchemaProblems(schema: unknown): SchemaProblem[] {
  const wrong = keywordProblems(schema);
  return (wrong.length > 0 ? wrong : [...contentProblems(schema, schema, [])]).slice(0, MAX_PROBLEMS);
}

/** Schemas are written in either draft and seldom say in which; one that fits either is right. */
function keywordProblems(schema: unknown): SchemaProblem[] {
  if (draft07?.(schema) || draft2020?.(schema)) return [];
  const problems = new Map<string, SchemaProblem>();
  for (const { instancePath, message, params } of draft2020?.errors ?? []) {
    const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(", ")}` : "";
    if (problems.has(instancePath)) continue;
    const path = pointerParts(instancePath, schema);
    problems.set(instancePath, {
      path,
      message: `Not a valid JSON Schema: ${message}${allowed}`,
      value: valueAt(schema, path),
    });
  }
  return [...problems.values()];
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(["const", "default", "enum", "example", "examples"]);

/** Keywords whose values are schemas under names that a user chose, which may read like keywords. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

function* contentProblems(schema: unknown, root: unknown, path: Path): Generator<SchemaProblem> {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, Array.isArray(schema) ? Number(keyword) : keyword];
    if (keyword === "pattern" && typeof value === "string") yield* patternProblems(value, at);
    else if (keyword === "$ref" && typeof value === "string") yield* referenceProblems(value, root, at);
    else if (NAMED.has(keyword) && typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (keyword === "patternProperties") yield* patternProblems(name, [...at, name]);
        yield* contentProblems(inner, root, [...at, name]);
      }
    } else if (!DATA.has(keyword)) yield* contentProblems(value, root, at);
  }
}

function* patternProblems(pattern: string, path: Path): Generator<SchemaProblem> {
  const message = patternProblem(pattern);
  if (message !== null) yield { path, message, value: pattern };
}

/** Patterns run on RE2, which is never slow and has no look-around or back-references. */
export function patternProblem(pattern: string): string | null {
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    return `The pattern can't be used: ${errorText(error)}`;
  }
}

/** A name instead of a pointer (`#address`) is looked up only when the schema is compiled. */
function* referenceProblems(reference: string, root: unknown, path: Path): Generator<SchemaProblem> {
  if (/^#(?!\/)/.test(reference)) return;
  const pointer = reference.startsWith("#") ? unescaped(reference.slice(1)) : null;
  if (pointer !== null && valueAt(root, pointerParts(pointer, root)) !== undefined) return;
  yield { path, message: `$ref leads nowhere in this schema: ${reference}`, value: reference };
}

/** A JSON pointer as keys; list positions become numbers. */
function pointerParts(pointer: string, root: unknown): (string | number)[] {
  let node = root;
  return pointer
    .split("/")
    .slice(1)
    .map((raw) => {
      const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
      const part = Array.isArray(node) && /^\d+$/.test(key) ? Number(key) : key;
      node = valueAt(node, [part]);
      return part;
    });
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function valueAt(root: unknown, path: Path): unknown {
  let node = root;
  for (const key of path) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string | number, unknown>)[key];
  }
  return node;
}
