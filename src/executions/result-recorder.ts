import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { type Result, recordEach } from "./record-results.ts";

/** Stored in one transaction; more would hold its locks longer than one commit is worth. */
const MOST = 100;

/**
 * Gathers the results of executions that end at about the same time: what comes while a transaction runs goes into the
 * next. `record` resolves once its result is stored, with false when the execution was lost to another process.
 */
export function createRecorder(db: Db, log: Log, owner: string) {
  type Waiting = { result: Result; settle(held: boolean): void; fail(error: unknown): void };
  let waiting: Waiting[] = [];
  let storing = false;

  async function store(): Promise<void> {
    storing = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      try {
        const held = await recordEach(
          db,
          log,
          owner,
          batch.map(({ result }) => result),
        );
        for (const { result, settle } of batch) settle(held.has(result.execution.id));
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    storing = false;
  }

  return {
    record(result: Result): Promise<boolean> {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      waiting.push({ result, settle: resolve, fail: reject });
      // After what else ends in this turn of the event loop.
      if (!storing) {
        storing = true;
        setImmediate(store);
      }
      return promise;
    },
  };
}
export type Recorder = ReturnType<typeof createRecorder>;
