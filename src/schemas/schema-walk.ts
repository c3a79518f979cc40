import { compilePattern, matchCost } from "../base/pattern.ts";
import type { Meter } from "../expressions/meter.ts";

export type SchemaMembers = Record<string, unknown>;

/** `at` is the way to the value, as in `order.items.0`, empty for the value as a whole; `missing` the member it lacks. */
export type SchemaFault = { at: string; message: string; missing: string | null };

/** More than a model mends at once; the walk ends there. */
const MAX_FAULTS = 11;
/** `$ref` to `$ref`, or values in values. Nobody's arguments are nested so deep. */
export const MAX_DEPTH = 100;

/** A walk through a schema, with the value beside it; it is handed to each check. */
export type SchemaWalk = {
  readonly root: unknown;
  readonly meter: Meter;
  /** null in a branch that is only tried: then the first fault ends it. */
  faults: SchemaFault[] | null;
  readonly references: Map<string, unknown>;
  depth: number;
};

/** True when nothing is wrong; what is, it notes by `fault`. */
export type SchemaCheck = (walk: SchemaWalk, schema: SchemaMembers, value: unknown, at: string) => boolean;

export const enough = ({ faults }: SchemaWalk): boolean => faults === null || faults.length >= MAX_FAULTS;

export function fault(walk: SchemaWalk, at: string, message: string, missing: string | null = null): false {
  if (walk.faults !== null && walk.faults.length < MAX_FAULTS) walk.faults.push({ at, message, missing });
  return false;
}

export const isMembers = (value: unknown): value is SchemaMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `least` and `most` as Ajv words them. */
export function checkCount(
  walk: SchemaWalk,
  at: string,
  count: number,
  most: unknown,
  least: unknown,
  noun: string,
): boolean {
  if (typeof most === "number" && count > most)
    return fault(walk, at, `must NOT have more than ${most} ${noun}`);
  if (typeof least === "number" && count < least)
    return fault(walk, at, `must NOT have fewer than ${least} ${noun}`);
  return true;
}

export function matches(walk: SchemaWalk, source: string, text: string): boolean {
  const pattern = compilePattern(source);
  walk.meter.spend(matchCost(pattern, text));
  return pattern.program.matcher(text).find();
}
