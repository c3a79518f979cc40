import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, InvalidInput } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { findSender } from "../campaigns/campaign-store.ts";
import { type Normalise, targetsOf } from "../channels/address.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { organizationJsonSealer } from "../redaction/text-sealer.ts";
import type { Added, Batch } from "./batch-schema.ts";
import { lockBatch, lockByKey, statusAfter, updateBatch } from "./batch-store.ts";
import { linkRequests } from "./link-requests.ts";
import { type CheckCell, cellCheck } from "./person-column-faults.ts";
import { fileProblem, readRequestFile } from "./request-file.ts";
import { createIntake, newRequest } from "./request-store.ts";
import { lastRequest, tellOfAdded } from "./status-change.ts";
import { claimUpload, type Progress, releaseUpload, startBeating, type UploadClaim } from "./upload-claim.ts";
import { wakeBatch } from "./wake-batch.ts";

type UploadDeps = { db: Db; clock: Clock; log: Log; vault: Vault; audit: Api["audit"] };
type Upload = UploadDeps & { caller: Caller; claim: UploadClaim };

/**
 * Rows of a chunk. One chunk is stored while the next is read, because the database and this program each have a processor.
 * A chunk has `least` rows, or more, up to `most`, while the one before it is being stored.
 */
const CHUNK_ROWS = { least: 500, most: 5_000 };
/** 5,000 rows of 1,600 characters. A file of longer ones would be held whole while its first rows are stored. */
const CHUNK_chars = 8_000_000;

/** Rows between turns of the event loop, so that nobody else's answer waits for a whole piece of the file (5 ms). */
const TURN_ROWS = 100;

/**
 * Reads a file of requests into a batch, all of it or nothing: one transaction holds the rows while they stream in, and
 * the batch changes only at its end. It is locked only then, so it can be read, paused or deleted meanwhile.
 */
export async function uploadBatch(
  deps: UploadDeps,
  caller: Caller,
  batch_id: string,
  file: { name: string; stream: Readable },
): Promise<Added> {
  const { claim, normalise, check } = await begin(deps, caller, batch_id, file.name);
  const upload = { ...deps, caller, claim };
  const progress: Progress = { rows: 0 };
  const beating = startBeating(deps, claim, progress);
  try {
    return await deps.db.transaction().execute(async (tx) => {
      const { last, ...counts } = await storeRows(tx, upload, { normalise, check }, file.stream, progress);
      return finish(tx, upload, { batch_id, ...counts }, last);
    });
  } catch (error) {
    await fail(upload, error);
    throw error;
  } finally {
    beating.stop();
  }
}

const begin = ({ db, clock }: UploadDeps, caller: Caller, batch_id: string, filename: string) =>
  db.transaction().execute(async (tx) => {
    const locked = await lockBatch(tx, clock, caller, batch_id);
    statusAfter(locked, { kind: "filled" });
    if (locked.filled_from !== null) {
      throw new Fault(
        "refused",
        `Batch "${batch_id}" was filled from ${locked.filled_from}. Make another batch.`,
      );
    }
    const claim = await claimUpload(tx, locked, filename);
    const normalise = targetsOf(await findSender(tx, locked.batch.campaign_id));
    return { claim, normalise, check: await cellCheck(tx, caller.organization_id) };
  });

async function storeRows(
  tx: Tx,
  { clock, vault, caller, claim }: Upload,
  { normalise, check }: { normalise: Normalise; check: CheckCell },
  file: Readable,
  progress: Progress,
): Promise<Omit<Added, "batch_id"> & { last: number }> {
  const last = await lastRequest(tx, claim.batch_key);
  const seal = await organizationJsonSealer(tx, vault, caller.sub_organization_id);
  const intake = createIntake(tx, { batch_key: claim.batch_key, at: clock.now() });
  let chunk = intake.chunk();
  let invalid = 0;
  let duplicates = 0;
  let storing = Promise.resolve(0);
  let isStoring = false;
  const flush = async () => {
    duplicates += await storing;
    isStoring = true;
    storing = intake.store(chunk).finally(() => {
      isStoring = false;
    });
    // A failure is thrown by the next await of it; without a listener until then it would end the process.
    storing.catch(() => {});
    invalid += chunk.invalid;
    chunk = intake.chunk();
  };
  try {
    for await (const rows of readRequestFile(file, progress, check)) {
      for (const row of rows) {
        intake.add(chunk, newRequest(row, normalise, seal));
        if (chunk.count % TURN_ROWS > 0) continue;
        await setImmediate();
        const enough = isStoring ? CHUNK_ROWS.most : CHUNK_ROWS.least;
        if (chunk.count >= enough || chunk.chars >= CHUNK_chars) await flush();
      }
    }
    await flush();
    duplicates += await storing;
  } finally {
    // What still runs must not outlive its transaction.
    await storing.catch(() => {});
  }
  await tellOfAdded(tx, claim.batch_key, last);
  return { last, accepted: progress.rows - duplicates - invalid, duplicates, invalid };
}

/** `last`: the key that all requests of the file are beyond. */
async function finish(
  tx: Tx,
  { clock, vault, audit, caller, claim }: Upload,
  added: Added,
  last: number,
): Promise<Added> {
  const locked = await lockBatch(tx, clock, caller, added.batch_id);
  const status = statusAfter(locked, { kind: "filled" });
  if (!(await releaseUpload(tx, claim)))
    throw new Fault("conflict", "Another upload has taken this one's place.");
  const after = await updateBatch(tx, locked, caller.email, {
    status,
    upload_filename: claim.filename,
    dispatch_id: claim.upload_id,
    error_message: null,
  });
  await wakeBatch(tx, locked.key, locked.at);
  const { batch_id } = added;
  await linkRequests(tx, vault, caller, { batch_key: claim.batch_key, batch_id, after: last, at: locked.at });
  await record(tx, audit, caller, locked.batch, { ...after, added });
  const { accepted, duplicates, invalid } = added;
  await publish(tx, caller.sub_organization_id, [
    {
      at: locked.at,
      source: "api",
      source_id: null,
      category: "outbound",
      type: "batch-uploaded",
      description: `Batch "${after.batch_id}" was filled from ${claim.filename}: ${accepted} accepted, ${duplicates} duplicate, ${invalid} invalid`,
      attributes: { batch_id: after.batch_id, campaign_id: after.campaign_id, accepted, duplicates, invalid },
    },
  ]);
  return added;
}

/** The transaction was rolled back, so nothing of the file is stored; the batch's error_message says why. */
async function fail({ db, clock, log, audit, caller, claim }: Upload, error: unknown): Promise<void> {
  try {
    await db.transaction().execute(async (tx) => {
      const locked = await lockByKey(tx, clock, claim.batch_key);
      if (!locked || !(await releaseUpload(tx, claim))) return;
      const after = await updateBatch(tx, locked, caller.email, {
        status: statusAfter(locked, { kind: "upload-failed" }),
        error_message: problemOf(error),
      });
      await record(tx, audit, caller, locked.batch, after);
    });
  } catch (cause) {
    // The claim runs out by itself, and a job tells the batch then.
    log.error({ err: cause }, "could not say that an upload failed");
  }
}

const record = (tx: Tx, audit: Api["audit"], caller: Caller, before: Batch, after: object): Promise<void> =>
  audit(tx, caller, { action: "upload", resource: "batches", resource_id: before.batch_id, before, after });

function problemOf(error: unknown): string {
  if (error instanceof InvalidInput) return fileProblem(error);
  if (error instanceof Fault) return error.message;
  return "Reading the file was interrupted and nothing of it was stored. Upload it again.";
}
