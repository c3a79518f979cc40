import { z } from "zod";

type ZodIssue = z.core.$ZodIssue;
type Parsed<T> = { ok: true; data: T } | { ok: false; issues: ZodIssue[] };

/** Who mends the first hundred is told of the next. */
export const MOST_TOLD = 100;

/** Of processor time. A document of a hundred steps that is wrong in each takes 2. */
const PATIENCE_MS = 10;

/**
 * Parses what somebody sent. It is read up to its first fault, and only then once more for all of them: a body can be
 * wrong in thousands of places, each with a finding for every branch it could have been. Where that takes longer than
 * `PATIENCE_MS`, the first fault of each object and list on the way is told and no other.
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): Parsed<z.output<S>> {
  const first = run(schema, value, { async: false, abortEarly: true });
  if (first.issues.length === 0) return { ok: true, data: first.value as z.output<S> };
  return { ok: false, issues: allIssues(schema, value) ?? finalized(first.issues) };
}

/** null: there are too many to be told. */
function allIssues(schema: z.ZodType, value: unknown): ZodIssue[] | null {
  const until = performance.now() + PATIENCE_MS;
  const before = process.threadCpuUsage();
  const context = {
    async: false as const,
    get abortEarly(): boolean {
      // By the clock first, which costs nothing; on a busy machine it also counts what others had the processor for.
      if (performance.now() < until) return false;
      const { user, system } = process.threadCpuUsage(before);
      if (user + system > PATIENCE_MS * 1000) throw new OutOfPatience();
      return false;
    },
  };
  try {
    return finalized(run(schema, value, context).issues);
  } catch (error) {
    if (error instanceof OutOfPatience) return null;
    throw error;
  }
}

class OutOfPatience extends Error {}

function run(schema: z.ZodType, value: unknown, context: z.core.ParseContextInternal<ZodIssue>) {
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new Error("a schema of a request can't wait for anything");
  return result;
}

const finalized = (issues: z.core.$ZodRawIssue[]): ZodIssue[] =>
  issues.slice(0, MOST_TOLD).map((issue) => z.core.util.finalizeIssue(issue, { async: false }, z.config()));
