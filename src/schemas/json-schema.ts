import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { PatternError, PatternMeter } from "../base/pattern.ts";
import { atPath, atPointer, pointerPath } from "./schema-pointer.ts";
import { schemaExcess } from "./schema-size.ts";
import type { Path } from "./validation-issue.ts";

/*
 * Whether a JSON Schema that a user wrote can be run: its keywords are right, its patterns compile, its references
 * lead somewhere. Nothing of it is executed here.
 */

type SchemaProblem = { path: Path; message: string; value?: unknown };

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
// Compiled when first asked, 30 ms each: what fits the older one, as nearly all does, never asks the newer.
const drafts: { draft07?: ValidateFunction; draft2020?: ValidateFunction } = {};
const draft07 = () =>
  (drafts.draft07 ??= new Ajv(OPTIONS).getSchema("http://json-schema.org/draft-07/schema"));
const draft2020 = () =>
  (drafts.draft2020 ??= new Ajv2020(OPTIONS).getSchema("https://json-schema.org/draft/2020-12/schema"));

/** More than anyone mends in one go. */
const MAX_PROBLEMS = 20;

export function jsonSchemaProblems(schema: unknown): SchemaProblem[] {
  const excess = schemaExcess(schema);
  if (excess) return [excess];
  const wrong = keywordProblems(schema);
  const document = { root: schema, meter: new PatternMeter() };
  return (wrong.length > 0 ? wrong : [...contentProblems(schema, document, [])]).slice(0, MAX_PROBLEMS);
}

/** Schemas are written in either draft and seldom say in which; one that fits either is right. */
function keywordProblems(schema: unknown): SchemaProblem[] {
  if (draft07()?.(schema)) return [];
  const fits = draft2020();
  if (fits?.(schema)) return [];
  const problems = new Map<string, SchemaProblem>();
  for (const { instancePath, message, params } of fits?.errors ?? []) {
    const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(", ")}` : "";
    if (problems.has(instancePath)) continue;
    const path = pointerPath(schema, instancePath);
    problems.set(instancePath, {
      path,
      message: `Not a valid JSON Schema: ${message}${allowed}`,
      value: atPath(schema, path),
    });
  }
  return [...problems.values()];
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(["const", "default", "enum", "example", "examples"]);

/** Keywords whose values are schemas under names that a user chose, which may read like keywords. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

type Document = { root: unknown; meter: PatternMeter };

function* contentProblems(schema: unknown, document: Document, path: Path): Generator<SchemaProblem> {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, Array.isArray(schema) ? Number(keyword) : keyword];
    if (keyword === "pattern" && typeof value === "string") yield* patternProblems(value, document, at);
    else if (keyword === "$ref" && typeof value === "string")
      yield* referenceProblems(value, document.root, at);
    else if (NAMED.has(keyword) && typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (keyword === "patternProperties") yield* patternProblems(name, document, [...at, name]);
        yield* contentProblems(inner, document, [...at, name]);
      }
    } else if (!DATA.has(keyword)) yield* contentProblems(value, document, at);
  }
}

function* patternProblems(pattern: string, { meter }: Document, path: Path): Generator<SchemaProblem> {
  const message = patternProblem(pattern, meter);
  if (message !== null) yield { path, message, value: pattern };
}

/** Patterns run on RE2, which has no look-around or back-references. `meter` is that of all patterns that run together. */
export function patternProblem(pattern: string, meter = new PatternMeter()): string | null {
  try {
    meter.compile(pattern);
    return null;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return `The pattern can't be used: ${error.message}`;
  }
}

/** A name instead of a pointer (`#address`) is looked up only when the schema is compiled. */
function* referenceProblems(reference: string, root: unknown, path: Path): Generator<SchemaProblem> {
  if (/^#(?!\/)/.test(reference)) return;
  if (reference.startsWith("#") && atPointer(root, reference.slice(1)) !== undefined) return;
  yield { path, message: `$ref leads nowhere in this schema: ${reference}`, value: reference };
}
