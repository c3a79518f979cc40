/** A tool's parameters as questions to ask: what kind of value each takes, and how to ask for it. */
import type { Pattern } from "../../base/pattern.ts";
import type { JsonSchema, OfferedTool } from "../model.ts";
import { isRecord } from "./scripted-history.ts";
import { compile } from "./scripted-patterns.ts";
import { spoken } from "./scripted-template.ts";
import { firstSentence, listed, readable, stemsOf, wordsOf } from "./scripted-words.ts";

export type ParameterKind =
  | { type: "choice"; values: unknown[] }
  | { type: "boolean" }
  | { type: "number"; whole: boolean; minimum: number; maximum: number }
  /** `declared` by the schema's `format`, or only guessed from the name: then any other answer is taken as it is. */
  | { type: "date" | "time" | "date-time" | "email" | "phone"; declared: boolean }
  | { type: "pattern"; regex: Pattern }
  | { type: "list"; items: ParameterKind }
  | { type: "object" }
  /** Names something another tool gave out (`slot_id`): picked from a result, never made up. */
  | { type: "reference"; noun: string }
  | { type: "text" };

export type Parameter = {
  name: string;
  description: string;
  required: boolean;
  kind: ParameterKind;
  schema: JsonSchema;
};

/** A tool as the form sees it, worked out once for a whole conversation. */
export type Offer = {
  name: string;
  parameters: Parameter[];
  /** Stems of its name and its choices. */
  strong: ReadonlySet<string>;
  /** Stems of its description and its parameters. */
  weak: ReadonlySet<string>;
};

export function offerOf(tool: OfferedTool): Offer {
  const parameters = parametersOf(tool);
  const choices = parameters.flatMap(({ kind }) =>
    kind.type === "choice" ? kind.values.map((value) => spoken(value)) : [],
  );
  const about = parameters.map(({ name, description }) => `${name} ${description}`);
  return {
    name: tool.name,
    parameters,
    strong: stemsOf([tool.name, ...choices].join(" ")),
    weak: stemsOf([tool.description, ...about].join(" ")),
  };
}

/** How much of what the user said is about this tool. */
export function fitness(offer: Offer, said: ReadonlySet<string>): number {
  let score = 0;
  for (const word of said) score += offer.strong.has(word) ? 2 : offer.weak.has(word) ? 1 : 0;
  return score;
}

/** A tool that looks something up: its result is a list to choose from, and asking it again does no harm. */
export const isFinder = (name: string): boolean =>
  /^(?:find|search|list|get|look|check|show|query|fetch|available)/i.test(name);

export function parametersOf(tool: OfferedTool): Parameter[] {
  const { properties, required } = tool.parameters;
  if (!isRecord(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, property]) => {
    const schema = isRecord(property) ? property : {};
    return {
      name,
      description: typeof schema.description === "string" ? schema.description.trim() : "",
      required: needed.has(name),
      kind: kindOf(schema, name),
      schema,
    };
  });
}

const FORMATS = ["date", "time", "date-time", "email", "phone"] as const;

function kindOf(schema: JsonSchema, name: string, depth = 0): ParameterKind {
  if ("const" in schema) return { type: "choice", values: [schema.const] };
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return { type: "choice", values: schema.enum };
  switch (typeOf(schema)) {
    case "boolean":
      return { type: "boolean" };
    case "integer":
    case "number":
      return {
        type: "number",
        whole: typeOf(schema) === "integer",
        minimum: typeof schema.minimum === "number" ? schema.minimum : -Infinity,
        maximum: typeof schema.maximum === "number" ? schema.maximum : Infinity,
      };
    case "array": {
      const items = isRecord(schema.items) ? schema.items : {};
      return { type: "list", items: depth > 3 ? { type: "text" } : kindOf(items, name, depth + 1) };
    }
    case "object":
      return { type: "object" };
    default:
      return textKind(schema, name);
  }
}

function textKind(schema: JsonSchema, name: string): ParameterKind {
  const format = FORMATS.find(
    (known) => known === schema.format || (known === "phone" && schema.format === "tel"),
  );
  if (format) return { type: format, declared: true };
  const regex = typeof schema.pattern === "string" ? compiled(schema.pattern) : null;
  if (regex) return { type: "pattern", regex };
  const words = wordsOf(name);
  const last = words.at(-1);
  if (words.length > 1 && (last === "id" || last === "ids")) {
    return { type: "reference", noun: words.slice(0, -1).join(" ") };
  }
  if (words.includes("email") || words.join("").endsWith("mailaddress"))
    return { type: "email", declared: false };
  if (words.some((word) => /^(tele)?phone$|^mobile$/.test(word))) return { type: "phone", declared: false };
  if (last === "date" || last === "day") return { type: "date", declared: false };
  if (last === "time") return { type: "time", declared: false };
  return { type: "text" };
}

/** `type` may be a list ("string or null"). */
export const typeOf = (schema: JsonSchema): unknown =>
  Array.isArray(schema.type) ? schema.type.find((type) => type !== "null") : schema.type;

/** A pattern RE2 can't read (or none at all) binds nobody here; the platform checks the arguments afterwards. */
function compiled(pattern: string): Pattern | null {
  try {
    return compile(pattern);
  } catch {
    return null;
  }
}

/**
 * One short question. The wording depends on nothing but the schema, so that an earlier question is recognised in the
 * conversation and tells which parameter the user is answering.
 */
export function questionFor(parameter: Parameter): string {
  const { kind, name } = parameter;
  if (kind.type === "reference") return `Which ${kind.noun} would you like?`;
  const about = firstSentence(parameter.description, 120).replace(/[.\s]+$/, "") || readable(name);
  if (about.endsWith("?")) return about;
  if (kind.type === "boolean") return `${yesNo(about)}?`;
  const question = /^(who|what|which|when|where|how)\b/i.test(about)
    ? `${upper(about)}?`
    : `What is ${noun(about)}?`;
  if (kind.type !== "choice") return question;
  return `${question} Please choose ${listed(
    kind.values.map((value) => spoken(value)),
    "or",
  )}.`;
}

function yesNo(about: string): string {
  const claim = /^(?:(?:true|yes) if|whether(?: or not)?|if) (.+)$/i.exec(about)?.[1];
  return claim === undefined ? `Yes or no: ${lower(about)}` : `Yes or no: is it so that ${claim}`;
}

const noun = (about: string): string =>
  /^(your|my|their|his|her|our)\s/i.test(about)
    ? lower(about)
    : `the ${lower(about.replace(/^(the|an?)\s+(?=\S)/i, ""))}`;

/** "Date of the visit" → "date of the visit", but "URL of the page" and "ISO date" keep their capitals. */
const lower = (text: string): string =>
  /^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
