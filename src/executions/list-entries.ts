import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { entriesOf } from "./output-columns.ts";

/** Takes lists apart that were found by an earlier version, some in each transaction; one that dies is continued a minute later. */
const listOlderEntries: Job<object> = {
  name: "list-older-entries",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

const AT_ONCE = 1_000;
/** So that the next minute's run begins after this one has ended. */
const LONGEST_MS = 45_000;

export const listEntriesJob = (db: Db): JobHandler =>
  handle(listOlderEntries, async (_, { stopping }) => {
    const until = performance.now() + LONGEST_MS;
    while (!stopping.aborted && performance.now() < until) {
      if (!(await listSomeOlder(db))) return;
    }
  });

/** False when none is left. The row is locked, so that two processes don't take the same ones. */
export const listSomeOlder = (db: Db): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ before_id: number }>`
      select before_id from insight_entries_backfill for update skip locked`.execute(tx);
    const [backfill] = rows;
    if (!backfill) return false;
    const { rows: some } = await sql<{ id: number; text: string | null }>`
      select id, case when string_value like '[%' then string_value end as text
      from insight_outputs where id < ${backfill.before_id}::bigint order by id desc limit ${AT_ONCE}::int`.execute(
      tx,
    );
    const last = some.at(-1);
    if (!last) {
      await sql`delete from insight_entries_backfill`.execute(tx);
      return false;
    }
    const lists = some.flatMap(({ id, text }) => {
      const entries = text === null ? null : entriesOf(parsed(text));
      return entries === null ? [] : [{ id, entries }];
    });
    await sql`
      update insight_outputs o set entries = l.entries
      from json_populate_recordset(null::insight_outputs, ${JSON.stringify(lists)}::json) l
      where o.id = l.id and o.entries is null`.execute(tx);
    await sql`update insight_entries_backfill set before_id = ${last.id}::bigint`.execute(tx);
    return true;
  });

/** A sealed text, or words that begin with a bracket, are no list. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
