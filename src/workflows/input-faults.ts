import { compilePattern, matchCost, PatternError } from "../base/pattern.ts";
import { own } from "../expressions/member.ts";
import { EvaluationError, Meter } from "../expressions/meter.ts";
import { hasFormat } from "../schemas/string-formats.ts";
import { coerceArguments, isLongWhole } from "../tools/coerce-arguments.ts";
import type { InputParameter } from "../tools/task-definition.ts";
import { type PathMembers, storable } from "./variable-path.ts";

/** Why an input can't be taken, in words for the model. */
type InputFault = { input: string; message: string };

/** An empty text is nothing: models write it where they don't know. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** What was given for inputs; "5" is 5 to one that takes an integer, where nothing is lost. */
function typedInputs(
  inputs: readonly InputParameter[],
  given: Record<string, unknown>,
): Record<string, unknown> {
  const integers = inputs.filter(({ type }) => type === "integer");
  const properties = Object.fromEntries(integers.map(({ name, type }) => [name, { type }]));
  return coerceArguments({ properties }, given);
}

/** What a step has with what is given now: declared inputs only, typed; what is not given stays as it was. */
export function collected(
  inputs: readonly InputParameter[],
  before: PathMembers,
  given: PathMembers,
): PathMembers {
  const typed = typedInputs(inputs, given);
  const values = inputs.flatMap(({ name }): [string, unknown][] => {
    const stored = storable(own(typed, name));
    return stored && isGiven(stored.value) ? [[name, stored.value]] : [];
  });
  return { ...before, ...Object.fromEntries(values) };
}

/** Whether what a step collected is what its inputs declare. Written out: compiling a schema a step would cost 3 ms. */
export function inputFaults(
  inputs: readonly InputParameter[],
  values: Record<string, unknown>,
): InputFault[] {
  const meter = new Meter();
  return inputs.flatMap((input): InputFault[] => {
    const value = Object.hasOwn(values, input.name) ? values[input.name] : undefined;
    // Nothing is what an input of type null takes.
    const required = input.required && input.type !== "null";
    const message = isGiven(value) ? faultOf(meter, input, value) : required ? "is required" : null;
    return message === null ? [] : [{ input: input.name, message: `${input.name} ${message}` }];
  });
}

function faultOf(meter: Meter, input: InputParameter, value: unknown): string | null {
  if (input.type && !TYPES[input.type](value)) return `must be of type ${input.type}`;
  if (input.enum?.length && !input.enum.includes(String(value)))
    return `must be one of ${input.enum.join(", ")}`;
  if (typeof value !== "string") return null;
  try {
    if (input.pattern && !matches(meter, input.pattern, value)) return `must match ${input.pattern}`;
    if (input.format && !hasFormat(meter, input.format, value)) return `must be a valid ${input.format}`;
    return null;
  } catch (error) {
    // Saving refuses such patterns; one that came in another way lets nothing pass.
    if (!(error instanceof PatternError || error instanceof EvaluationError)) throw error;
    return `can't be checked: ${error.message}`;
  }
}

/** The inputs of a step share a meter: what all their patterns do is what a turn waits for. */
function matches(meter: Meter, source: string, value: string): boolean {
  const pattern = compilePattern(source);
  meter.spend(matchCost(pattern, value));
  return pattern.program.matcher(value).find();
}

const TYPES: Record<NonNullable<InputParameter["type"]>, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value) || isLongWhole(value),
  boolean: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  null: () => false,
};
