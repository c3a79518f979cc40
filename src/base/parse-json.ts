/** A whole number that may be past 2^53, where JavaScript's numbers lose their last digits. */
const LONG_DIGITS = /\d{16}/;
const WHOLE = /^-?\d+$/;

type WithSource = (
  text: string,
  revive: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/**
 * JSON in which every whole number keeps its digits: one past 2^53 is read as a text of them, or as what `long` makes of
 * them. Identifiers are often such numbers, and one that lost its last digits names somebody else.
 */
export function parseJson(text: string, long: (digits: string) => unknown = (digits) => digits): unknown {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  return (JSON.parse as WithSource)(text, (_key, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && WHOLE.test(source)
      ? long(source)
      : value,
  );
}
