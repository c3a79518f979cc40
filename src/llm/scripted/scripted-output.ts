/** A value of any JSON Schema, made from the conversation: the same conversation gives the same value. */
import { cutTo } from "../../base/storable.ts";
import type { JsonSchema, ModelMessage } from "../model.ts";
import { dateIn, timeIn } from "./scripted-dates.ts";
import { EMAIL } from "./scripted-extract.ts";
import { isRecord, today } from "./scripted-history.ts";
import { typeOf } from "./scripted-parameters.ts";
import { shortened, stemsOf } from "./scripted-words.ts";

/** A schema may contain itself. */
const DEEPEST = 6;
const LONGEST_EXTRACT = 160;

/** Twenty properties that each refer to the whole are 64 million values at that depth; nobody reads that many. */
const MOST_VALUES = 2_000;

type OutputSource = { root: JsonSchema; lines: string[]; text: string; today: string | null; left: number };

/** Choices take their first value, texts a short extract of what the user said, numbers a count of what was said. */
export function valueOfSchema(schema: JsonSchema, messages: readonly ModelMessage[]): unknown {
  const lines = userLines(messages);
  const text = lines.join(" ");
  return valueFor(schema, { root: schema, lines, text, today: today(messages), left: MOST_VALUES }, "", 0);
}

const SAID_BY_USER = /^(?:\[[\d:]+\]\s*)?(?:user|caller|customer)\s*:\s*(.+)$/i;
const SAID_BY_AGENT = /^(?:\[[\d:]+\]\s*)?agent\s*:\s*(.+)$/i;

/**
 * The user's words. An analysis gets the whole transcript as one message, with "[0:07] User:" before the user's lines;
 * where nobody said a word to the agent, what the agent said.
 */
function userLines(messages: readonly ModelMessage[]): string[] {
  const lines = messages
    .flatMap((message) => (message.role === "user" ? message.text.split("\n") : []))
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const said = (by: RegExp) => lines.flatMap((line) => by.exec(line)?.[1] ?? []);
  return [said(SAID_BY_USER), said(SAID_BY_AGENT)].find((words) => words.length > 0) ?? lines;
}

function valueFor(schema: unknown, source: OutputSource, name: string, depth: number): unknown {
  source.left -= 1;
  if (!isRecord(schema) || depth > DEEPEST || source.left < 0) return null;
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if (typeof schema.$ref === "string")
    return valueFor(referred(schema.$ref, source.root), source, name, depth + 1);
  const branch = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (branch && schema.type === undefined && !isRecord(schema.properties)) {
    return valueFor(
      branch.find((one) => isRecord(one) && one.type !== "null"),
      source,
      name,
      depth + 1,
    );
  }
  switch (typeOf(schema) ?? (isRecord(schema.properties) ? "object" : "string")) {
    case "object":
      return Object.fromEntries(
        Object.entries(isRecord(schema.properties) ? schema.properties : {}).map(([key, property]) => [
          key,
          valueFor(property, source, key, depth + 1),
        ]),
      );
    case "array":
      return arrayOf(schema, source, name, depth);
    case "integer":
    case "number":
      return within(schema, source.lines.length);
    case "boolean":
      return isAbout(name, schema, source);
    case "null":
      return null;
    default:
      return textOf(schema, source);
  }
}

function arrayOf(schema: JsonSchema, source: OutputSource, name: string, depth: number): unknown[] {
  const fewest = typeof schema.minItems === "number" ? Math.min(schema.minItems, 100) : 0;
  const count = Math.max(fewest, source.lines.length > 0 ? 1 : 0);
  return Array.from({ length: count }, () => valueFor(schema.items ?? {}, source, name, depth + 1));
}

function within(schema: JsonSchema, count: number): number {
  const at = (key: string, otherwise: number) =>
    typeof schema[key] === "number" ? (schema[key] as number) : otherwise;
  const lowest = Math.max(at("minimum", -Infinity), at("exclusiveMinimum", -Infinity) + 1);
  const highest = Math.min(at("maximum", Infinity), at("exclusiveMaximum", Infinity) - 1);
  return Math.max(lowest, Math.min(highest, count));
}

/** "wants_refund" is true when the user spoke of a refund. */
function isAbout(name: string, schema: JsonSchema, source: OutputSource): boolean {
  const description = typeof schema.description === "string" ? schema.description : "";
  const wanted = [...stemsOf(`${name} ${description}`)];
  const said = stemsOf(source.text);
  return wanted.some((word) => said.has(word));
}

function textOf(schema: JsonSchema, source: OutputSource): string {
  switch (schema.format) {
    case "date":
      return dateIn(source.text, source.today) ?? source.today ?? "1970-01-01";
    case "time":
      return `${timeIn(source.text) ?? "00:00"}:00Z`;
    case "date-time":
      return `${dateIn(source.text, source.today) ?? source.today ?? "1970-01-01"}T${timeIn(source.text) ?? "00:00"}:00Z`;
    case "email":
      return EMAIL.exec(source.text)?.[0] ?? "nobody@example.com";
    default:
  }
  const longest = typeof schema.maxLength === "number" ? Math.max(0, schema.maxLength) : LONGEST_EXTRACT;
  const shortest = typeof schema.minLength === "number" ? Math.min(schema.minLength, 10_000) : 0;
  const extract = shortened(source.text, Math.min(longest - 1, LONGEST_EXTRACT)) || "Nothing was said.";
  return cutTo(extract, longest).padEnd(shortest, ".");
}

/** References within the same document only; nothing is fetched. */
function referred(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith("#")) return null;
  let at: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : null;
  }
  return at;
}
