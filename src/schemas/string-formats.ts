import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Meter } from "../expressions/meter.ts";

/** Longer texts have none of the known formats. Their expressions are not RE2's: the worst takes 26 ms for such a text. */
const MAX_FORMATTED = 2_048;
const formatCost = (length: number): number => 1 + length ** 2 / 80;

/** A format nobody knows says nothing, nor does one of numbers. */
export function hasFormat(meter: Meter, name: string, text: string): boolean {
  if (!Object.hasOwn(fullFormats, name)) return true;
  const format: unknown = fullFormats[name as keyof typeof fullFormats];
  const named = typeof format === "object" && format !== null && "validate" in format ? format : null;
  if (named !== null && "type" in named && named.type === "number") return true;
  if (text.length > MAX_FORMATTED) return false;
  meter.spend(formatCost(text.length));
  const check = named?.validate ?? format;
  if (check instanceof RegExp) return check.test(text);
  return typeof check === "function" ? Boolean(check(text as never)) : true;
}
