/** A whole number that may be past 2^53, where JavaScript's numbers lose their last digits. */
const LONG_DIGITS = /\d{16}/;
/** A number that may be past 1.8e308, where JavaScript's numbers end; not the `1e123` within an id. */
const LARGE = /(?:^|[\s:,[])-?\d[\d.]*[eE]\+?\d{3}/;
const WHOLE = /^-?\d+$/;

type WithSource = (
  text: string,
  revive: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/**
 * JSON in which no number is lost: a whole one past 2^53, and any that JavaScript can't hold, is read as a text of it, or as
 * what `lost` makes of that. Identifiers are often such numbers, and one that lost its last digits names somebody else; one
 * past all numbers would be written as null.
 */
export function parseJson(text: string, lost: (digits: string) => unknown = (digits) => digits): unknown {
  if (!LONG_DIGITS.test(text) && !LARGE.test(text)) return JSON.parse(text);
  return (JSON.parse as WithSource)(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && isLost(value, source) ? lost(source) : value,
  );
}

const isLost = (value: number, source: string): boolean =>
  !Number.isFinite(value) || (!Number.isSafeInteger(value) && WHOLE.test(source));

/** What a text from outside holds as JSON; undefined where it is none. */
export function tryParseJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
