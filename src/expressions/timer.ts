import { createContext, Script } from "node:vm";
import { EvaluationError } from "./meter.ts";

/** Long enough for any condition a person wrote, short enough that nobody on a call hears it. */
export const TIME_LIMIT_MS = 50;

/** What a machine with other work may take over the same. */
const PATIENCE_MS = 2 * TIME_LIMIT_MS;

const room = createContext({ work: undefined as (() => void) | undefined });
const script = new Script("work()");

/**
 * Runs `work` and stops it after 50 ms in the middle of whatever it does. A thread is started to keep the time, which costs
 * 90 µs a call (Node 26), so only what nothing cheaper can bound comes here.
 *
 * The timer reads the wall clock, and a machine that stood still must not turn a condition false: a run that was stopped
 * before it had its time on the processor is made once more, with patience.
 */
export function withinTime<T>(work: () => T): T {
  let result: { value: T } | undefined;
  room.work = () => {
    result = { value: work() };
  };
  const before = process.threadCpuUsage();
  try {
    if (!ended(TIME_LIMIT_MS)) {
      const { user, system } = process.threadCpuUsage(before);
      const starved = (user + system) / 1_000 < TIME_LIMIT_MS * 0.75;
      if (!starved || !ended(PATIENCE_MS)) {
        throw new EvaluationError(`the expression ran for more than ${TIME_LIMIT_MS} ms`);
      }
    }
  } finally {
    room.work = undefined;
  }
  return result!.value;
}

function ended(timeout: number): boolean {
  try {
    script.runInContext(room, { timeout });
    return true;
  } catch (error) {
    if (isTimeout(error)) return false;
    throw error;
  }
}

/** Its own class of Error comes from inside the room, so only the code tells. */
const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
