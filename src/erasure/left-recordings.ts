import { opendir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { type CallRecordings, lineOfFile } from "../calls/recordings/call-recording.ts";
import { isFetchedFile } from "../calls/recordings/fetch-recording.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import { recordingsFolder } from "../sessions/bucket/open-recording.ts";

/*
 * Files of recordings without a row: a process died while it wrote one, or before it stored its row. Without a row nobody can
 * play them, and retention finds none. A line's file gets its row, and one that was fetched is removed, because it is fetched
 * anew; both are removed where their call is gone.
 */
const settleLeftRecordings: Job<object> = {
  name: "settle-left-recordings",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "31 3 * * *",
};

/** Whoever writes a file writes each second, and whoever fetches one tries again within six hours. */
const LEFT_MS = 24 * 3_600_000;
const AT_ONCE = 200;

type Deps = { db: Db; clock: Clock; dataDir: string; recordings: Pick<CallRecordings, "completeLeft"> };

export const leftRecordingsJob = (deps: Deps): JobHandler =>
  handle(settleLeftRecordings, async (_, { stopping }) => {
    await oneByOne(leftFiles(deps), (name) => settleLeft(deps, name), stopping);
  });

async function* leftFiles({ db, dataDir }: Deps): AsyncGenerator<string> {
  for await (const names of namesBy(AT_ONCE, recordingsFolder(dataDir))) yield* await withoutRow(db, names);
}

async function* namesBy(count: number, folder: string): AsyncGenerator<string[]> {
  const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  let names: string[] = [];
  for await (const { name } of entries) {
    names.push(name);
    if (names.length < count) continue;
    yield names;
    names = [];
  }
  yield names;
}

/** Those that are to be removed as it is have lost their row already. */
async function withoutRow(db: Db, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as n (name)
    where not exists (select from recordings r where r.file_name = n.name)
      and not exists (select from files_to_remove f where f.path = 'recordings/' || n.name)`.execute(db);
  return rows.map(({ name }) => name);
}

async function settleLeft({ db, clock, dataDir, recordings }: Deps, name: string): Promise<void> {
  const file = path.join(recordingsFolder(dataDir), name);
  const line = lineOfFile(name);
  if (!line && !isFetchedFile(name)) return;
  const written = await stat(file).catch(() => null);
  if (!written || written.mtimeMs > clock.now().getTime() - LEFT_MS) return;
  const call = line && (await callOfLine(db, line));
  if (!call && line && !(await isGivenOut(db, line.id))) return;
  if (!call) return rm(file, { force: true });
  if (call.ended_at) await recordings.completeLeft(call, new Date(call.ended_at));
}

/** False: a database that was set back to an earlier time has not come to this call again, and says nothing of it. */
async function isGivenOut(db: Db, call_id: number): Promise<boolean> {
  const { rows } = await sql`select from calls where id > ${call_id} limit 1`.execute(db);
  return rows.length > 0;
}

/** `ended_at` null: the call goes on. */
async function callOfLine(db: Db, { id, leg }: { id: number; leg: number }) {
  const { rows } = await sql<{
    session_id: number;
    sub_organization_id: number;
    ended_at: string | null;
  }>`
    select session_id, sub_organization_id, ended_at from calls where id = ${id}`.execute(db);
  return rows[0] && { ...rows[0], id, leg };
}
