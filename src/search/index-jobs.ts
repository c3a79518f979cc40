import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../db/database.ts";
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

type Parts = SessionPrices & { db: Db };

export const searchJobs = ({ db, ...prices }: Parts): JobHandler[] => [
  handle(indexSession, async ({ session_id }) => {
    await db.transaction().execute((tx) => indexSessions(tx, prices, [session_id]));
  }),
  handle(indexOlderSessions, async (_, { stopping }) => {
    const until = performance.now() + LONGEST_MS;
    while (!stopping.aborted && performance.now() < until) {
      if (!(await indexSomeOlder({ db, ...prices }))) return;
    }
  }),
];

/** False when none is left. The row is locked, so that two processes don't index the same ones. */
export const indexSomeOlder = ({ db, ...prices }: Parts): Promise<boolean> =>
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
    await indexSessions(
      tx,
      prices,
      some.map(({ id }) => id),
    );
    await sql`update search_backfill set before_id = ${last.id}::bigint`.execute(tx);
    return true;
  });
