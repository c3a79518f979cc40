import { Fault, type InputIssue, InvalidInput, invalid, unreachable } from "../../base/errors.ts";
import { jsonExcess } from "../../base/json-size.ts";
import { parseJson } from "../../base/parse-json.ts";
import { SEALED_MARK } from "../../base/sealed-text.ts";

/** Deeper than any document of this API; a deeper body is a mistake or an attack on the recursion of parsers. */
const MAX_DEPTH = 100;

/** A task of a thousand steps of twenty values has as many. */
const MAX_VALUES = 20_000;

/** More than any document of this API has fields and variables. */
const MAX_NAMES = 5_000;

/** Passes over a byte order mark at the beginning, which PowerShell and .NET write: RFC 8259 lets a reader do so. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a body's bytes. Bytes of another encoding are refused: read as UTF-8, each would become a replacement character. */
export function bodyText(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

export const notUtf8 = (): InvalidInput =>
  invalid(["body"], "The body is not UTF-8 text. Encode it as UTF-8 and send it again.", "string_unicode");

/** Parses a JSON body; an empty one is `undefined`, a broken one a 422 that names the position. */
export function parseJsonBody(text: string, most_values = MAX_VALUES): unknown {
  if (text.trim() === "") return undefined;
  refuseSize(text, most_values);
  let value: unknown;
  let lost = 0;
  try {
    value = parseJson(text, (digits) => {
      if (keepsDigits(digits)) return Number(digits);
      lost++;
      return LOST;
    });
  } catch (error) {
    const position = Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? strangeToken(text));
    throw invalid(["body", position], "JSON decode error", "json_invalid");
  }
  if (lost > 0) throw new InvalidInput(lostNumbers(value, ["body"]).slice(0, MOST_TOLD));
  // Only an escape can bring in what PostgreSQL can't store, or hide a mark; most bodies have none and are not walked.
  if (text.includes("\\") || text.includes("__proto__") || text.includes(SEALED_MARK))
    refuseUnstorable(value, ["body"]);
  return value;
}

const BARE = /\s+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\]:,]/y;

/** Where a word begins that JSON doesn't have, such as Python's `True` or `NaN`: V8 names it without its position. */
function strangeToken(text: string): number {
  let at = 0;
  while (at < text.length) {
    BARE.lastIndex = at;
    if (text[at] === '"') at = endOfText(text, at);
    else if (BARE.test(text)) at = BARE.lastIndex;
    else return at;
  }
  return 0;
}

/** No pattern: one with millions of escapes would exhaust its stack. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Stands for a number that JavaScript can't hold: an identifier without its last digits would name somebody else. */
const LOST = Symbol("lost digits");
const MOST_TOLD = 100;

function keepsDigits(digits: string): boolean {
  const number = Number(digits);
  // A program that has doubles, too, writes them so: it reads its own digits again. One past all doubles is none.
  return Number.isFinite(number) && (String(number) === digits || BigInt(digits) === BigInt(number));
}

function lostNumbers(value: unknown, loc: InputIssue["loc"]): InputIssue[] {
  if (value === LOST)
    return [
      {
        loc,
        msg: "Input should be a number that keeps all its digits, a whole one of at most 9007199254740991; write a longer one as a text",
        type: "int_precision",
      },
    ];
  if (value === null || typeof value !== "object") return [];
  return Array.isArray(value)
    ? value.flatMap((item, at) => lostNumbers(item, [...loc, at]))
    : Object.entries(value).flatMap(([key, inner]) => lostNumbers(inner, [...loc, key]));
}

function refuseSize(text: string, values: number): void {
  const excess = jsonExcess(text, { levels: MAX_DEPTH, values, names: MAX_NAMES });
  switch (excess?.of) {
    case undefined:
      return;
    case "levels":
      throw invalid(
        ["body", excess?.position ?? 0],
        `JSON is nested deeper than ${MAX_DEPTH} levels`,
        "json_invalid",
      );
    case "values":
      throw new Fault(
        "too-large",
        `The JSON has more than ${shown(values)} values (entries of lists and members of objects). Send it in parts.`,
      );
    case "names":
      throw new Fault(
        "too-large",
        `The JSON has more than ${shown(MAX_NAMES)} different names of members. Send a list of entries instead.`,
      );
    default:
      unreachable(excess as never);
  }
}

const shown = (count: number): string => count.toLocaleString("en-US");

/** NUL and half surrogate pairs are valid JSON but no valid text in PostgreSQL; `__proto__` is nobody's field. */
function refuseUnstorable(value: unknown, loc: (string | number)[]): void {
  if (typeof value === "string") refuseUnstorableText(value, loc);
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) refuseUnstorable(item, [...loc, index]);
  else if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      if (key === "__proto__")
        throw invalid([...loc, key], "Extra inputs are not permitted", "extra_forbidden");
      refuseUnstorableText(key, loc);
      refuseUnstorable(inner, [...loc, key]);
    }
  }
}

export function refuseUnstorableText(text: string, loc: (string | number)[]): void {
  if (text.includes(SEALED_MARK))
    throw new InvalidInput([
      {
        loc,
        msg: `String should not contain "${SEALED_MARK}", which begins sealed values`,
        type: "string_sealed",
      },
    ]);
  if (!text.includes("\0") && text.isWellFormed()) return;
  throw new InvalidInput([
    { loc, msg: "String should not contain NUL or unpaired surrogate characters", type: "string_unicode" },
  ]);
}
