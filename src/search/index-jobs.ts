import { sql } from "kysely";
import { z } from "zod";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { failureOf } from "../db/savepoint.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { indexSession } from "../sessions/index-session-job.ts";
import { indexSessions, type SessionPrices } from "./index-sessions.ts";

/** Sessions from before the index, some in each transaction; one that dies is continued a minute later. */
const indexOlderSessions: Job<object> = {
  name: "index-older-sessions",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

const AT_ONCE = 100;
/** So that the next minute's run begins after this one has ended. */
const LONGEST_MS = 45_000;

type Parts = SessionPrices & { db: Db; log: Log };

export const searchJobs = ({ db, log, ...prices }: Parts): JobHandler[] => [
  handle(indexSession, async ({ session_id }) => {
    await db.transaction().execute((tx) => indexSessions(tx, prices, [session_id]));
  }),
  handle(indexOlderSessions, async (_, { stopping }) => {
    const until = performance.now() + LONGEST_MS;
    while (!stopping.aborted && performance.now() < until) {
      if (!(await indexSomeOlder({ db, log, ...prices }))) return;
    }
  }),
];

/** False when none is left. The row is locked, so that two processes don't index the same ones. */
export const indexSomeOlder = ({ db, log, ...prices }: Parts): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ before_id: number }>`
      select before_id from search_backfill for update skip locked`.execute(tx);
    const [backfill] = rows;
    if (!backfill) return false;
    const { rows: some } = await sql<{ id: number }>`
      select id from sessions where id < ${backfill.before_id}::bigint order by id desc limit ${AT_ONCE}::int`.execute(
      tx,
    );
    const last = some.at(-1);
    if (!last) {
      await sql`delete from search_backfill`.execute(tx);
      return false;
    }
    const ids = some.map(({ id }) => id);
    // One that can't be indexed is left out, and holds up none of the others.
    if ((await failureOf(tx, () => indexSessions(tx, prices, ids))) !== null)
      for (const id of ids) {
        const error = await failureOf(tx, () => indexSessions(tx, prices, [id]));
        if (error !== null) log.error({ err: error, session_id: id }, "an older session can't be searched");
      }
    await sql`update search_backfill set before_id = ${last.id}::bigint`.execute(tx);
    return true;
  });
