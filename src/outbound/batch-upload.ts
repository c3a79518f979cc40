import type { Readable } from "node:stream";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, InvalidInput } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { type Normalise, targetsOf } from "./address.ts";
import type { Added, Batch } from "./batch-schema.ts";
import { type LockedBatch, lockBatch, lockByKey, statusAfter, updateBatch } from "./batch-store.ts";
import { fileProblem, readRequestFile } from "./request-file.ts";
import { addStaged, createStaging, newRequest, stagedLine } from "./request-store.ts";
import {
  type Claim,
  claimUpload,
  type Progress,
  releaseUpload,
  startBeating,
} from "./upload-claim.ts";

type Deps = { db: Db; clock: Clock; log: Log };

/**
 * Reads a file of requests into a batch, all of it or nothing: one transaction holds the rows while they stream in, and
 * the batch changes only at its end. It is locked just then, so it can be read, paused or deleted meanwhile.
 */
export async function uploadBatch(
  deps: Deps,
  audit: Api["audit"],
  caller: Caller,
  batch_id: string,
  file: { name: string; stream: Readable; isTooLarge(): boolean },
): Promise<Added> {
  const { db, clock } = deps;
  const { claim, normalise } = await begin(deps, caller, batch_id, file.name);
  const progress: Progress = { rows: 0 };
  const stalled = () => file.stream.destroy(new Fault("refused", "The upload stalled. Send the file again."));
  const beating = startBeating(deps, claim, progress, stalled);
  try {
    return await db.transaction().execute(async (tx) => {
      const counts = await storeRows(tx, clock, claim, normalise, file.stream, progress);
      if (file.isTooLarge()) throw new Fault("too-large", "The file is larger than this operation accepts.");
      const locked = await lockBatch(tx, clock, caller, batch_id);
      return finish(tx, audit, caller, locked, claim, counts);
    });
  } catch (error) {
    await fail(deps, audit, caller, claim, file.isTooLarge() ? tooLarge : error);
    throw error;
  } finally {
    beating.stop();
  }
}
