import { z } from "zod";

/**
 * The value shapes that every request schema is built from. Clients of this API send integers as decimal strings
 * now and then (`"prompt_id": "7"`); that is accepted, nothing looser is.
 */
const DECIMAL = /^-?\d{1,16}$/;

const fromDecimal = (value: unknown): unknown =>
  typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;

/** Zod says "number" for what is no integer at all; this tells `input-errors.ts` what was wanted. */
export const NOT_AN_INTEGER = "Input should be a valid integer";

export const integer = (bounds: { min?: number; max?: number } = {}): typeof INTEGER => {
  const { min, max } = bounds;
  if (min === undefined && max === undefined) return INTEGER;
  let schema = z.int({ error: NOT_AN_INTEGER });
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return z.preprocess(fromDecimal, schema);
};

/** Schemas don't change, so the common ones are shared: each takes 2 KB, and a thousand places want one. */
const INTEGER = z.preprocess(fromDecimal, z.int({ error: NOT_AN_INTEGER }));
const NAME = z.string().min(1).max(255);
const TIMESTAMP = z.string().meta({ format: "date-time" });

/** The number of a record. */
export const recordId = () => integer();

/** A number in a query string or path, where everything is text. */
export const queryInteger = integer;

const fromBooleanText = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  const text = value.toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
};

export const queryBoolean = () => z.preprocess(fromBooleanText, z.boolean());

/** As many entries as the lists of one document have at the most, where the public API names no number. */
const MAX_ENTRIES = 1_000;

/** A list that somebody sends. A longer one is refused before any of its entries is looked at. */
export const boundedList = <T extends z.ZodType>(entry: T) => z.array(entry).max(MAX_ENTRIES);

/** A query string has room for no more than some of them. */
const MAX_QUERY_VALUES = 100;

/** A repeated query key: one value, several, or none (an empty list). */
export const queryList = <T extends z.ZodType>(item: T) =>
  z
    .preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).max(MAX_QUERY_VALUES))
    .prefault([]);

/** A telephone number in a query, whose plus is a blank where it was not escaped: nothing would be found, suppressed or not. */
const withItsPlus = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/^ (?=\d{7,15}$)/, "+") : value;

/** A text that records are searched by. */
export const searchedText = () => z.preprocess(withItsPlus, z.string());

/**
 * The longest text of a body, of a path and of a query, wherever the public API and a schema name no other number: as much
 * as the body, the path or the line of the query has room for. `text-bounds.ts` keeps to it, `openapi.json` says it.
 */
export const MAX_TEXT = { body: 1_000_000, path: 1_000, query: 16_000 } as const;

export const name = () => NAME;

/** A string-keyed map of texts; a list in its place is refused rather than read as {"0": …}. */
export const textMap = () => z.record(z.string(), z.string());

/** Any JSON value. */
export const anyJson = () => z.unknown();

/** Any JSON value, but the key must be there. */
export const requiredJson = () =>
  anyJson().refine((value) => value !== undefined, { error: "Field required", params: { type: "missing" } });

/** Date-times of answers; they always carry an offset. */
export const timestamp = () => TIMESTAMP;

/** A date-time sent by a client: ISO 8601; without an offset it is read as UTC. */
export const inputTimestamp = () => checkedTimestamp((_text, at) => at.toISOString());

/** The same as it was sent, for one that is read in the zone that the request names (`parseTimestamp`). */
export const localTimestamp = () => checkedTimestamp((text) => text);

const checkedTimestamp = (kept: (text: string, at: Date) => string) =>
  z
    .string()
    .meta({ format: "date-time" })
    .transform((text, context) => {
      const at = parseTimestamp(text);
      if (at) return kept(text, at);
      context.addIssue({
        code: "custom",
        message: "Input should be a valid datetime",
        params: { type: "datetime_parsing" },
      });
      return z.NEVER;
    });

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A plus that was not escaped in a query arrives as a blank, which stands nowhere else behind a time. */
const LOST_PLUS = /(:\d{2}(?:\.\d{1,9})?) (\d{2}:?\d{2})$/;

/** null for anything that is not a real date-time of the years 1900 to 9999. `timezone`: of one without an offset. */
export function parseTimestamp(given: string, timezone = "UTC"): Date | null {
  const text = given.replace(LOST_PLUS, "$1+$2");
  if (!ISO.test(text)) return null;
  const [date, time = "00:00"] = text.split(/[T ]/i) as [string, string?];
  const isLocal = !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(time);
  const zoned = isLocal ? `${time}Z` : time;
  const at = new Date(`${date}T${zoned.replace(/([+-]\d{2})(\d{2})$/, "$1:$2").toUpperCase()}`);
  if (Number.isNaN(at.getTime())) return null;
  // Date rolls 2026-02-30 over into March; a calendar does not.
  if (!isCalendarDate(date)) return null;
  if (at.getUTCFullYear() < 1900 || at.getUTCFullYear() > 9999) return null;
  if (!isLocal || timezone === "UTC") return at;
  const clock = Temporal.PlainDateTime.from(at.toISOString().slice(0, -1));
  return new Date(clock.toZonedDateTime(timezone).epochMilliseconds);
}

/** `YYYY-MM-DD` that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    Temporal.PlainDate.from(text, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}

/** `when` of a rule over several members: asked also where other members are wrong, so that one answer names all faults. */
export const isObject = ({ value }: { value: unknown }): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A finding about a saved record; errors block the save, warnings and infos ride along (specification, "Shared types"). */
export const ValidationIssue = z
  .object({
    id: z.string(),
    severity: z.enum(["info", "warning", "error"]).default("error"),
    message: z.string(),
    path: z.string().nullish(),
    value: z.string().nullish(),
  })
  .meta({ id: "ValidationIssue" });
export type ValidationIssue = z.infer<typeof ValidationIssue>;

export const Deleted = z.object({ success: z.literal(true) }).meta({ id: "Deleted" });

export const HTTPValidationError = z
  .object({
    detail: z
      .array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }))
      .optional(),
  })
  .meta({ id: "HTTPValidationError" });

export const ErrorDetail = z.object({ detail: z.string() }).meta({ id: "ErrorDetail" });
