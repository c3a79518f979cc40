import { sql } from "kysely";
import { SEALED_MARK } from "../base/sealed-text.ts";
import type { Db } from "../db/database.ts";
import { removed } from "./deleted-counts.ts";
import type { ErasedPerson } from "./person-address.ts";
import { MOST_ROWS, mentions, type PersonStore } from "./person-store.ts";

/** Documents in memory at once. */
const READ_AT_ONCE = 200;
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * The first rows whose document quotes the address, `most` of them. What lies in clear is found by a statement. No
 * statement can look into a sealed document, so all of them are read, some at a time, and opened on their way: an
 * organization has some thousand cases and runs, and a mark of who is in which would tell that to whoever has a copy.
 */
async function quoting(
  db: Db,
  { table, column }: { table: "test_cases" | "test_runs"; column: "definition" | "cases" },
  person: ErasedPerson,
  most: number,
): Promise<number[]> {
  const [from, document] = [sql.table(table), sql.ref(column)];
  const isSealed = sql`${document}::text like ${`%${SEALED_MARK}%`}::text`;
  const { rows: clear } = await sql<{ id: number }>`
    select id from ${from}
    where sub_organization_id = ${person.tenant} and not ${isSealed} and ${mentions(sql`${document}::text`, person)}
    order by id limit ${most}::bigint`.execute(db);
  const found = clear.map(({ id }) => id);
  for (let after = 0; found.length < most; ) {
    const { rows } = await sql<{ id: number; document: unknown }>`
      select id, ${document} as document from ${from}
      where sub_organization_id = ${person.tenant} and id > ${after} and ${isSealed}
      order by id limit ${READ_AT_ONCE}::bigint`.execute(db);
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
    for (const { id, document } of rows) if (quotes(document, person)) found.push(id);
  }
  return found.slice(0, most);
}

/** As `mentions` looks into a document in clear: for the address within its JSON, in any case. */
function quotes(document: unknown, { spellings }: ErasedPerson): boolean {
  const text = JSON.stringify(document).toLowerCase();
  return spellings.some((spelling) => text.includes(spelling.toLowerCase()));
}

const CASES = { table: "test_cases", column: "definition" } as const;
export const testCaseStore: PersonStore = {
  name: "test_cases",
  count: async (db, person) => ({ test_cases: (await quoting(db, CASES, person, ALL)).length }),
  removeSome: async (tx, person) => {
    const ids = await quoting(tx, CASES, person, MOST_ROWS);
    return { test_cases: await removed(tx, sql`delete from test_cases where id = any(${ids}::bigint[])`) };
  },
};

/** A run keeps the cases it was begun with; one that quotes the address keeps only its results. */
const RUNS = { table: "test_runs", column: "cases" } as const;
export const testRunStore: PersonStore = {
  name: "test_runs_blanked",
  count: async (db, person) => ({ test_runs_blanked: (await quoting(db, RUNS, person, ALL)).length }),
  removeSome: async (tx, person) => {
    const ids = await quoting(tx, RUNS, person, MOST_ROWS);
    return {
      test_runs_blanked: await removed(
        tx,
        sql`update test_runs set cases = '[]' where id = any(${ids}::bigint[])`,
      ),
    };
  },
};
