import type { z } from "zod";
import { MAX_TEXT } from "../schema.ts";
import { DATA } from "./open-answers.ts";

/*
 * Every text that somebody sends has a maximum. Where its schema names none, that of `MAX_TEXT` holds: for the values and
 * the keys of any JSON as well.
 */

type BoundPath = (string | number)[];

/** More than anyone mends in one go. */
const MOST = 20;

/** The texts, and the names of members, that are longer. What isn't JSON (a file) is passed over. */
export function longTexts(value: unknown, maximum: number): z.core.$ZodIssueTooBig[] {
  // Hardly any body has one, and places cost a list for each value.
  if (!hasLongText(value, maximum)) return [];
  const found: z.core.$ZodIssueTooBig[] = [];
  const check = (text: string, path: BoundPath): void => {
    if (text.length <= maximum) return;
    found.push({ code: "too_big", origin: "string", maximum, inclusive: true, path, message: "" });
  };
  const walk = (inner: unknown, path: BoundPath): void => {
    if (found.length >= MOST) return;
    if (typeof inner === "string") check(inner, path);
    else if (Array.isArray(inner)) for (const [index, item] of inner.entries()) walk(item, [...path, index]);
    else if (isPlain(inner)) {
      for (const [key, member] of Object.entries(inner)) {
        check(key, path);
        // Nobody wants to read the whole of it in the place of a fault.
        if (key.length <= maximum) walk(member, [...path, key]);
      }
    }
  };
  walk(value, []);
  return found;
}

function hasLongText(value: unknown, maximum: number): boolean {
  if (typeof value === "string") return value.length > maximum;
  if (Array.isArray(value)) return value.some((item) => hasLongText(item, maximum));
  if (!isPlain(value)) return false;
  for (const name in value) if (name.length > maximum || hasLongText(value[name], maximum)) return true;
  return false;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

type SchemaNode = { [key: string]: unknown };
type Document = { paths?: unknown; components?: { schemas?: Record<string, unknown> } };
type ApiOperation = {
  parameters?: { in: string; schema?: unknown }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
};

const REF = "#/components/schemas/";

/**
 * Writes the maximum into each text of the document that a sender fills and that has none. The served document leaves these
 * out, and says the rule once.
 */
export function documentTextBounds(document: Document): void {
  const schemas = document.components?.schemas ?? {};
  const seen = new Set<unknown>();
  const bound = (schema: unknown, maximum: number): void => {
    if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
    seen.add(schema);
    const node = schema as SchemaNode;
    if (typeof node.$ref === "string") bound(schemas[node.$ref.slice(REF.length)], maximum);
    if (isUnbounded(node)) node.maxLength = maximum;
    for (const [key, inner] of Object.entries(node)) {
      if (DATA.has(key)) continue;
      // Members go by names of their own, which may read like keywords.
      if (key === "properties")
        for (const member of Object.values(inner as SchemaNode)) bound(member, maximum);
      else bound(inner, maximum);
    }
  };
  const operations = Object.values(document.paths ?? {}).flatMap((methods) =>
    Object.values(methods as Record<string, ApiOperation>),
  );
  // What a query shares with a body may be as long as in a body.
  for (const { requestBody } of operations)
    for (const { schema } of Object.values(requestBody?.content ?? {})) bound(schema, MAX_TEXT.body);
  for (const { schema, in: place } of operations.flatMap(({ parameters }) => parameters ?? []))
    bound(schema, place === "path" ? MAX_TEXT.path : MAX_TEXT.query);
}

/** A file is bounded in bytes, where it is received. */
const isUnbounded = ({ type, maxLength, format, enum: values, ...rest }: SchemaNode): boolean =>
  [type].flat().includes("string") &&
  maxLength === undefined &&
  values === undefined &&
  !("const" in rest) &&
  format !== "binary";
