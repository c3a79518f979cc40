import { gather } from "../base/gather.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { isOfData, type Result, recordEach } from "./record-results.ts";

/** The most results of one transaction; more would hold its locks too long to be worth the saved commits. */
const MOST = 100;

/**
 * Stores the results of executions that end at about the same time together. `record` resolves once its result is
 * stored, with false when the execution was lost to another process.
 */
export function createRecorder(db: Db, log: Log, owner: string) {
  const gathered = gather<Result, boolean>({
    most: MOST,
    async write(results) {
      const held = await recordEach(db, log, owner, results);
      return results.map(({ execution }) => held.has(execution.id));
    },
    isolates: isOfData,
  });
  return { record: gathered.add };
}
export type Recorder = ReturnType<typeof createRecorder>;
