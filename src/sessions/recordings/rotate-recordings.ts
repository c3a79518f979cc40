import { createWriteStream } from "node:fs";
import { chown, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { keyInUse, retireKeys } from "../../data-keys/data-keys.ts";
import { chunkSealer } from "../../data-keys/sealed-chunks.ts";
import { isOfOneFile, readSealedHead } from "../../data-keys/sealed-file.ts";
import { alone } from "../../db/alone.ts";
import type { Db } from "../../db/database.ts";
import type { RecordingBucket } from "../bucket/bucket.ts";
import {
  IN_BUCKET,
  objectOf,
  openRecording,
  recordingsFolder,
  type StoredIn,
} from "../bucket/open-recording.ts";

/*
 * Seals recordings anew. A file is written beside the old one, brought to disk, and takes its name while the recording's row
 * is locked: whoever dies leaves the old file or the new one, and a recording that is deleted meanwhile stays deleted. Files
 * that are sealed with the key in use are passed over, so a run that is started again goes on. One from the bucket comes back
 * to the disk, and is moved again.
 */

type Deps = { db: Db; clock: Clock; vault: Vault; dataDir: string; bucket?: RecordingBucket | null };
type Rotated = {
  sealed: number;
  passed: number;
  missing: number;
  /** Names of files that are damaged, or whose key is gone: they stay as they are. */
  unreadable: string[];
  keys_removed: number;
  /** Recordings are stored, and their folder is empty or not there: no key was removed. */
  is_away: boolean;
};

/** Ends the name of a file that is not finished; a run that died leaves one. */
const ROTATING = ".rotating";
/** Every file that a recording may have, and its object in the bucket, for those who delete it. */
export const filesOfRecording = (file_name: string): string[] => [
  ...["", ROTATING].map((end) => `recordings/${file_name}${end}`),
  `${IN_BUCKET}${objectOf(file_name)}`,
];

const AT_ONCE = 200;
/** A call that began before its key was retired may go on for so long. */
const KEPT_ms = 24 * 3_600_000;
/** Names the lock that one run holds; PostgreSQL gives it back when the process dies. */
const LOCK = 7_315_520_047n;

/** Null where another run is at work. `resumed`: no new keys, for a run that was interrupted. `onFile` is called after each. */
export function rotateRecordings(
  deps: Deps,
  how: { resumed: boolean; stop?: AbortSignal },
  onFile: (file_name: string) => void | Promise<void> = () => {},
): Promise<Rotated | null> {
  return alone(deps.db, sql`${LOCK}`, () => rotateAll(deps, how, onFile));
}

async function rotateAll(
  deps: Deps,
  { resumed, stop }: { resumed: boolean; stop?: AbortSignal },
  onFile: (file_name: string) => void | Promise<void>,
): Promise<Rotated> {
  const folder = recordingsFolder(deps.dataDir);
  const names = await readdir(folder).catch(noneIfMissing);
  for (const name of names) if (name.endsWith(ROTATING)) await rm(path.join(folder, name), { force: true });
  if (!resumed) await retireKeys(deps);
  const counts = { sealed: 0, passed: 0, missing: 0 };
  const unreadable: string[] = [];
  for (let after = 0; ; ) {
    const rows = await deps.db
      .selectFrom("recordings as r")
      .innerJoin("sessions as s", "s.id", "r.session_id")
      .select(["r.id", "r.file_name", "r.stored_in", "s.sub_organization_id"])
      .where("r.id", ">", after)
      .orderBy("r.id")
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) {
      stop?.throwIfAborted();
      try {
        counts[await rotateOne(deps, row)]++;
      } catch (error) {
        if (!isOfOneFile(error)) throw error;
        unreadable.push(row.file_name);
      }
      await onFile(row.file_name);
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  // An unmounted disk comes back, and its files are sealed with keys that nothing here mentions.
  const isAway = names.length === 0 && counts.missing > 0;
  const keys_removed = isAway ? 0 : await removeUnusedKeys(deps);
  return { ...counts, unreadable, keys_removed, is_away: isAway };
}

function noneIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}

type Row = { id: number; file_name: string; stored_in: StoredIn; sub_organization_id: number };

async function rotateOne(
  deps: Deps,
  { id, file_name, stored_in, sub_organization_id }: Row,
): Promise<"sealed" | "passed" | "missing"> {
  const file = path.join(recordingsFolder(deps.dataDir), path.basename(file_name));
  const key = await keyInUse(deps, sub_organization_id);
  const old = await openRecording(deps, { file_name, stored_in });
  if (!old) return "missing";
  if (old.key_id === key.id) return "passed";
  const next = `${file}${ROTATING}`;
  try {
    const sealer = chunkSealer(key);
    await pipeline(
      old.stream(),
      async function* (pieces) {
        for await (const piece of pieces) yield sealer.push(piece as Buffer);
        yield sealer.end();
      },
      createWriteStream(next, { mode: 0o600, flush: true }),
    );
    await giveToOwner(next, path.dirname(file));
    return await deps.db.transaction().execute(async (tx) => {
      const { rows } = await sql`select from recordings where id = ${id} for update`.execute(tx);
      if (rows.length === 0) return "missing";
      await rename(next, file);
      await sql`update recordings set stored_in = 'disk', bucket_key_id = null where id = ${id}`.execute(tx);
      return "sealed";
    });
  } finally {
    await rm(next, { force: true });
  }
}

/** Root may rotate while the program that runs is another user, who has to read the file afterwards. */
async function giveToOwner(file: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(file, uid, gid);
}

/** Keys that were retired a day ago and that no file names, finished or not. */
async function removeUnusedKeys({ db, clock, dataDir }: Deps): Promise<number> {
  const folder = recordingsFolder(dataDir);
  const used = new Set<number>();
  for (const name of await readdir(folder).catch(noneIfMissing)) {
    // A file that can't be read may be sealed with any of the keys.
    const handle = await open(path.join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    const head = handle && (await readSealedHead(handle).finally(() => handle.close()));
    if (head) used.add(head.key_id);
  }
  const moved = await db
    .selectFrom("recordings")
    .select("bucket_key_id")
    .distinct()
    .where("bucket_key_id", "is not", null)
    .execute();
  for (const { bucket_key_id } of moved) if (bucket_key_id !== null) used.add(bucket_key_id);
  const before = new Date(clock.now().getTime() - KEPT_ms).toISOString();
  const { numDeletedRows } = await db
    .deleteFrom("data_keys")
    .where("retired_at", "<", before)
    .where("seals_texts", "=", false)
    .where(sql<boolean>`id <> all(${[...used]}::bigint[])`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
