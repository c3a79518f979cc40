import { fullFormats } from "ajv-formats/dist/formats.js";
import { RE2JS } from "re2js";
import type { InputParameter } from "../agents/task-definition.ts";
import { BoundedCache } from "../expressions/bounded-cache.ts";

/** Why an input can't be taken, in words for the model. */
export type InputFault = { input: string; message: string };

/** An empty text is nothing: models write it where they don't know. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Whether what a step collected is what its inputs declare. Written out: compiling a schema a step would cost 3 ms. */
export function inputFaults(
  inputs: readonly InputParameter[],
  values: Record<string, unknown>,
): InputFault[] {
  return inputs.flatMap((input): InputFault[] => {
    const value = Object.hasOwn(values, input.name) ? values[input.name] : undefined;
    // Nothing is what an input of type null takes.
    const required = input.required && input.type !== "null";
    const message = isGiven(value) ? faultOf(input, value) : required ? "is required" : null;
    return message === null ? [] : [{ input: input.name, message: `${input.name} ${message}` }];
  });
}

function faultOf(input: InputParameter, value: unknown): string | null {
  if (input.type && !TYPES[input.type](value)) return `must be of type ${input.type}`;
  if (input.enum?.length && !input.enum.includes(String(value)))
    return `must be one of ${input.enum.join(", ")}`;
  if (typeof value !== "string") return null;
  if (input.pattern && patternOf(input.pattern)?.matcher(value).find() !== true)
    return `must match ${input.pattern}`;
  if (input.format && !hasFormat(input.format, value)) return `must be a ${input.format}`;
  return null;
}

const TYPES: Record<NonNullable<InputParameter["type"]>, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  null: () => false,
};

/** RE2, so that nobody's pattern takes exponential time; saving refuses one that it can't read. */
const patterns = new BoundedCache<{ compiled: RE2JS | null }>(1_000);
const patternOf = (source: string): RE2JS | null =>
  patterns.get(source, () => {
    try {
      return { compiled: RE2JS.compile(source) };
    } catch {
      return { compiled: null };
    }
  }).compiled;

/** A format nobody knows says nothing. Longer texts than this have none of the known ones. */
const MAX_FORMATTED = 2_048;

function hasFormat(name: string, value: string): boolean {
  const format: unknown = Object.hasOwn(fullFormats, name)
    ? fullFormats[name as keyof typeof fullFormats]
    : null;
  const check =
    format !== null && typeof format === "object" && "validate" in format ? format.validate : format;
  if (value.length > MAX_FORMATTED) return check === null;
  if (check instanceof RegExp) return check.test(value);
  return typeof check === "function" ? Boolean(check(value)) : true;
}
