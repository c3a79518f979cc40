import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { publicText } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { findDataKey, keyForFiles } from "../data-keys/data-keys.ts";
import { type FindKey, isOfOneFile, openSealed } from "../data-keys/sealed-file.ts";
import type { Db, Tx } from "../db/database.ts";
import { asReader, asWriter } from "../db/reading.ts";
import type { Takeouts } from "../db/types.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import type { RecordingBucket } from "../sessions/bucket/bucket.ts";
import { openRecording, recordingsFolder } from "../sessions/bucket/open-recording.ts";
import { exportRows, type Owner } from "./export-rows.ts";
import { EXPORTED, type ExportedTable, type Group } from "./exported-tables.ts";
import { splitBySize } from "./split-by-size.ts";
import { type ArchiveSource, writeArchive } from "./write-archive.ts";

/** Sound is cut into archives that every file system and unpacker takes. */
const MAX_RECORDINGS_BYTES = 2_000_000_000;

/** A job says after each archive that it lives. One silent for so long was lost with its machine. */
const LOST_MS = 6 * 3_600_000;
const TRIES = 3;

export const makeTakeout: Job<{ takeout_id: string }> = {
  name: "make-takeout",
  payload: z.object({ takeout_id: z.string() }),
  // One more, to say that the process died in the last.
  max_attempts: TRIES + 1,
};

const removeTakeouts: Job<object> = {
  name: "remove-old-takeouts",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "17 * * * *",
};

type TakeoutStatus = Selectable<Takeouts>["status"];
const RUNNING: TakeoutStatus[] = ["pending", "in_progress"];

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  vault: Vault;
  dataDir: string;
  bucket?: RecordingBucket | null;
};

export const takeoutFolder = (dataDir: string, takeout_id: string): string =>
  path.join(dataDir, "takeouts", takeout_id);

export const takeoutJobs = (deps: Deps): JobHandler[] => [
  handle(makeTakeout, async ({ takeout_id }, { job }) => {
    if (job.attempts > TRIES) return giveUp(deps, takeout_id, STOPPED);
    try {
      await runTakeout(deps, takeout_id);
    } catch (error) {
      if (job.attempts === TRIES)
        await giveUp(deps, takeout_id, publicText(error, deps.log, "an export failed for good"));
      throw error;
    }
  }),
  handle(removeTakeouts, () => removeOldTakeouts(deps)),
];

const STOPPED = `The program was stopped while it made this export, and ${TRIES} tries were not enough. Start another.`;

/** Safe to repeat: the files are made beside their place and moved there whole. */
async function runTakeout(deps: Deps, id: string): Promise<void> {
  const { db, clock, vault, dataDir } = deps;
  const begun = await touch(db, clock, id, { status: "in_progress" });
  if (!begun) return;
  const owner = await db
    .selectFrom("sub_organizations as s")
    .innerJoin("organizations as o", "o.id", "s.organization_id")
    .select(["s.id as sub_organization_id", "o.id as organization_id", "o.slug", "o.display_name"])
    .where("s.id", "=", begun.sub_organization_id)
    .executeTakeFirstOrThrow();
  const at = clock.now();
  const key = await keyForFiles({ db, vault }, owner.sub_organization_id);
  const about = { at, organization: owner.display_name, sub_organization_id: owner.sub_organization_id };
  const prefix = owner.slug ?? `organization-${owner.organization_id}`;
  const fileName = (part: string) =>
    `${prefix}_${part}_${at.toISOString().replace(/\D/g, "").slice(0, 14)}.zip`;

  const workshop = `${takeoutFolder(dataDir, id)}.${randomId()}`;
  await mkdir(workshop, { recursive: true, mode: 0o700 });
  try {
    const file_names: string[] = [];
    const write = async (part: string, sources: ArchiveSource[], more: object = {}) => {
      const facts = { ...about, group: part, ...more };
      await writeArchive(path.join(workshop, fileName(part)), sources, facts, key);
      file_names.push(fileName(part));
      if (!(await asWriter(() => touch(db, clock, id, {})))) throw new Deleted();
    };
    for (const group of Object.keys(EXPORTED) as Group[]) {
      await inSnapshot(db, owner, (tx) =>
        write(
          group,
          EXPORTED[group].map((each) => tableSource(tx, each, owner)),
        ),
      );
    }
    const { found, missing } = await inSnapshot(db, owner, (tx) => findRecordings(tx, owner, dataDir));
    if (missing.length > 0)
      deps.log.warn({ takeout_id: id, missing: missing.length, data_dir: path.resolve(dataDir) }, LEFT_OUT);
    const parts = splitBySize(found, MAX_RECORDINGS_BYTES);
    // Where none was found, there still has to be an archive that says which are missing.
    if (parts.length === 0 && missing.length > 0) parts.push([]);
    for (const [index, part] of parts.entries()) {
      await write(
        `recordings-${String(index + 1).padStart(3, "0")}`,
        part.map(recordingSource(deps, findDataKey({ db, vault }))),
        index === 0 && missing.length > 0 ? { missing, missing_because: NO_FILE } : {},
      );
    }
    const folder = takeoutFolder(dataDir, id);
    await rm(folder, { recursive: true, force: true });
    await rename(workshop, folder);
    const sizes = await Promise.all(
      file_names.map(async (name) => (await stat(path.join(folder, name))).size),
    );
    const size_bytes = sizes.reduce((sum, size) => sum + size, 0);
    const completed = await touch(db, clock, id, {
      status: "completed",
      file_names,
      size_bytes,
      missing_recordings: missing.length,
    });
    if (!completed) await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Deleted)) throw error;
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** In the log, for the operator. */
const LEFT_OUT =
  "an export leaves recordings out, since their files are not in DATA_DIR on this machine: let it be a folder that all machines share, with its disk mounted";

/** In the archive, for its reader. */
const NO_FILE =
  "Their files were not in the data directory of the machine that made this export. Ask who operates it, then export again.";

/** The export was deleted while it was made: what it would hold may have to be gone (erasure/). */
class Deleted extends Error {}

/** One archive shows one moment: what changes meanwhile is in it whole or not at all. */
const inSnapshot = <T>(db: Db, owner: Owner, read: (tx: Tx) => Promise<T>): Promise<T> =>
  asReader(owner.sub_organization_id, () =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(async (tx) => {
        // Nobody waits for it as for a list, and it has to come to its end however much there is.
        await sql`select set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`.execute(tx);
        return read(tx);
      }),
  );

/** A thousand rows of a table in which most are of others. */
const STATEMENT_MS = 600_000;

const tableSource = (tx: Tx, exported: ExportedTable, owner: Owner): ArchiveSource => ({
  name: exported.file,
  async *chunks() {
    for await (const lines of exportRows(tx, exported, owner)) yield Buffer.from(`${lines.join("\n")}\n`);
  },
});

/** `moved`: the recording of a call that is in the bucket. */
type TakeoutRecording = { name: string; file: string; bytes: number; moved?: string };

/** `missing`: the names of those whose files are on neither the disk nor in the bucket. */
async function findRecordings(
  db: Tx,
  owner: Owner,
  dataDir: string,
): Promise<{ found: TakeoutRecording[]; missing: string[] }> {
  const rows = await db
    .selectFrom("recordings as r")
    .innerJoin("sessions as s", "s.id", "r.session_id")
    .select(["r.file_name", "r.stored_in", "r.size_bytes"])
    .where("s.sub_organization_id", "=", owner.sub_organization_id)
    .orderBy("r.id")
    .execute();
  const uploads = await db
    .selectFrom("insight_files")
    .select("object_key")
    .where("sub_organization_id", "=", owner.sub_organization_id)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  const places = [
    ...rows.map((row) => ({
      name: path.basename(row.file_name),
      file: path.join(recordingsFolder(dataDir), path.basename(row.file_name)),
      row,
    })),
    // Under the last part of their object_key, which is in the list of files.
    ...uploads.map(({ object_key }) => ({
      name: `uploads/${path.basename(object_key)}`,
      file: path.join(dataDir, object_key),
      row: null,
    })),
  ];
  const found: TakeoutRecording[] = [];
  const missing: string[] = [];
  // One after the other: there may be a million.
  for (const { name, file, row } of places) {
    const info = await stat(file).catch(() => null);
    if (info) found.push({ name, file, bytes: info.size });
    else if (row && row.stored_in !== "disk")
      found.push({ name, file, bytes: row.size_bytes ?? 0, moved: row.file_name });
    else missing.push(name);
  }
  return { found, missing };
}

/** As it was recorded: an export is for reading elsewhere. */
const recordingSource =
  (deps: Deps, findKey: FindKey) =>
  ({ name, file, moved }: TakeoutRecording): ArchiveSource => ({
    name,
    compress: false,
    isOfIt: (error) => error instanceof Gone || isOfOneFile(error),
    async *chunks() {
      const sound =
        moved === undefined
          ? await openSealed(file, findKey)
          : await openRecording(deps, { file_name: moved, stored_in: "bucket" });
      if (!sound) throw new Gone();
      yield* sound.stream();
    },
  });

/** Its file was there when recordings were listed, or its object should be in the bucket. */
class Gone extends Error {}

/** Also says that the work goes on; undefined when the takeout is done or gone. */
const touch = (
  db: Db,
  clock: Clock,
  id: string,
  change: {
    status?: TakeoutStatus;
    file_names?: string[];
    size_bytes?: number;
    missing_recordings?: number;
    error?: string;
  },
): Promise<{ sub_organization_id: number } | undefined> =>
  db
    .updateTable("takeouts")
    .set({ ...change, updated_at: clock.now().toISOString() })
    .where("id", "=", id)
    .where("status", "in", RUNNING)
    .returning("sub_organization_id")
    .executeTakeFirst();

/** With whatever its tries have left behind; a second time does nothing. */
async function giveUp({ db, clock, dataDir }: Deps, id: string, error: string): Promise<void> {
  if (!(await touch(db, clock, id, { status: "failed", error }))) return;
  const left = (await foldersIn(dataDir)).filter(({ takeout_id }) => takeout_id === id);
  for (const { folder } of left) await rm(folder, { recursive: true, force: true });
}

/** Those of one sub-organization, or all, of which nothing was heard for long. */
export async function giveUpLost(db: Db, clock: Clock, sub_organization_id?: number): Promise<void> {
  const now = clock.now();
  const lost = db
    .updateTable("takeouts")
    .set({ status: "failed", error: "Nothing was heard of its job", updated_at: now.toISOString() })
    .where("status", "in", RUNNING)
    .where("updated_at", "<", new Date(now.getTime() - LOST_MS).toISOString());
  await (sub_organization_id === undefined
    ? lost
    : lost.where("sub_organization_id", "=", sub_organization_id)
  ).execute();
}

/** What is past its time or failed goes, and with it whatever a process that died has left behind. */
async function removeOldTakeouts({ db, clock, dataDir }: Deps): Promise<void> {
  await db.deleteFrom("takeouts").where("expires_at", "<=", clock.now().toISOString()).execute();
  await giveUpLost(db, clock);
  // Before the rows: what is begun meanwhile is not among them.
  const folders = await foldersIn(dataDir);
  const rows = await db.selectFrom("takeouts").select(["id", "status"]).execute();
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  const isKept = ({ takeout_id, isWorkshop }: TakeoutFolder) => {
    const status = statuses.get(takeout_id);
    return (status !== undefined && RUNNING.includes(status)) || (status === "completed" && !isWorkshop);
  };
  const gone = folders.filter((each) => !isKept(each));
  await oneByOne(gone, ({ folder }) => rm(folder, { recursive: true, force: true }));
}

type TakeoutFolder = { folder: string; takeout_id: string; isWorkshop: boolean };

async function foldersIn(dataDir: string): Promise<TakeoutFolder[]> {
  const root = takeoutFolder(dataDir, "");
  const names = await readdir(root).catch(() => []);
  return names.map((name) => {
    const [takeout_id = "", workshop] = name.split(".");
    return { folder: path.join(root, name), takeout_id, isWorkshop: workshop !== undefined };
  });
}
