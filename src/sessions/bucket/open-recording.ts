import path from "node:path";
import type { Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import { findDataKey } from "../../data-keys/data-keys.ts";
import { type OpenedFile, openSealed, openSealedObject } from "../../data-keys/sealed-file.ts";
import type { Db } from "../../db/database.ts";
import { BucketProblem, type RecordingBucket } from "./bucket.ts";

export type StoredIn = "disk" | "both" | "bucket";

/** The folder of recordings, shared by all machines of a cluster. */
export const recordingsFolder = (dataDir: string): string => path.join(dataDir, "recordings");

/** Begins the name of an object of the bucket among files that are to be removed. */
export const IN_BUCKET = "bucket:";

/** A recording's object in the bucket. */
export const objectOf = (file_name: string): string => `recordings/${path.basename(file_name)}`;

type Deps = { db: Db; vault: Vault; dataDir: string; bucket?: RecordingBucket | null };

/**
 * A recording's content, from the disk or from the bucket; null where neither has it. The disk is asked first, whatever the
 * row said a moment ago: files move while they are read.
 */
export async function openRecording(
  { db, vault, dataDir, bucket }: Deps,
  { file_name, stored_in }: { file_name: string; stored_in: StoredIn },
): Promise<OpenedFile | null> {
  const findKey = findDataKey({ db, vault });
  const local = await openSealed(path.join(recordingsFolder(dataDir), path.basename(file_name)), findKey);
  if (local) return local;
  if (!bucket) {
    if (stored_in === "disk") return null;
    throw new Fault("unavailable", "This recording is in a bucket, and none is set up here (S3_ENDPOINT).");
  }
  const key = objectOf(file_name);
  try {
    const facts = await bucket.facts(key);
    if (!facts) return null;
    return await openSealedObject(
      { size: facts.bytes, read: (start, end) => bucket.read(key, start, end) },
      findKey,
    );
  } catch (error) {
    if (!(error instanceof BucketProblem)) throw error;
    throw new Fault("unavailable", "The store of recordings doesn't answer. Try again later.", {
      cause: error,
    });
  }
}
