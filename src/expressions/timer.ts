import { createContext, Script } from "node:vm";
import { EvaluationError } from "./meter.ts";

/** Long enough for any condition a person wrote, short enough that nobody on a call hears it. */
export const TIME_LIMIT_MS = 50;

const room = createContext({ work: undefined as (() => void) | undefined });
const script = new Script("work()");

/**
 * Gives a function that runs work and stops it after 50 ms in the middle of whatever it does. A thread is started to keep
 * the time, which costs 90 µs a call (Node 26), so only what nothing cheaper can bound comes here.
 *
 * The timer reads the wall clock, and a machine that stood still, or a collection of garbage, must not turn a condition
 * false: what is stopped gets a second run of 100 ms. Only one that needed more than that as well loses this grace.
 */
export function timekeeper(): <T>(work: () => T) => T {
  let graced = true;
  return (work) => {
    const result = ended(work, TIME_LIMIT_MS) ?? (graced ? ended(work, 2 * TIME_LIMIT_MS) : undefined);
    if (result) return result.value;
    graced = false;
    throw new EvaluationError(`the expression ran for more than ${TIME_LIMIT_MS} ms`);
  };
}

function ended<T>(work: () => T, timeout: number): { value: T } | undefined {
  let result: { value: T } | undefined;
  room.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(room, { timeout });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  } finally {
    room.work = undefined;
  }
  return result;
}

/** Its own class of Error comes from inside the room, so only the code tells. */
const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
