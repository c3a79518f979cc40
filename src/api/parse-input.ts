import { z } from "zod";

type Issue = z.core.$ZodIssue;
type Parsed<T> = { ok: true; data: T } | { ok: false; issues: Issue[] };

/** Who mends the first hundred is told of the next. */
export const MOST_TOLD = 100;

/** A right body of the largest size takes half of it. */
const PATIENCE_MS = 25;

/**
 * Parses what somebody sent. After `PATIENCE_MS` every object and list ends at its first fault: 2 MB can be wrong in a
 * million places, each with a finding for every branch it could have been, and to tell them all took seconds in which
 * nobody else was served. What is right is not read any differently, and a short body's faults are told all at once.
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): Parsed<z.output<S>> {
  const until = performance.now() + PATIENCE_MS;
  const context = {
    async: false as const,
    get abortEarly() {
      return performance.now() > until;
    },
  };
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new Error("a schema of a request can't wait for anything");
  if (result.issues.length === 0) return { ok: true, data: result.value as z.output<S> };
  const told = result.issues.slice(0, MOST_TOLD);
  return { ok: false, issues: told.map((issue) => z.core.util.finalizeIssue(issue, context, z.config())) };
}
