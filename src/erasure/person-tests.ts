import { type RawBuilder, sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { SEALED_MARK } from "../base/sealed-text.ts";
import { textKeys } from "../data-keys/data-keys.ts";
import type { Db } from "../db/database.ts";
import { mayHold, soughtParts } from "../redaction/address-marks.ts";
import { removed } from "./deleted-counts.ts";
import type { ErasedPerson } from "./person-address.ts";
import { MOST_ROWS, mentions, type PersonStore } from "./person-store.ts";

/** Documents in memory at once; rows of marks, which are some dozen bytes each. */
const READ_AT_ONCE = 200;
const MARKS_AT_ONCE = 20_000;
const ALL = Number.MAX_SAFE_INTEGER;

type Where = { table: "test_cases" | "test_runs"; column: "definition" | "cases" };

/**
 * The first rows whose document quotes the address, `most` of them. What lies in clear is found by a statement. No
 * statement can look into a sealed document: those are read whose marks say that they may quote it, and those without marks.
 */
async function quoting(
  db: Db,
  vault: Vault,
  { table, column }: Where,
  person: ErasedPerson,
  most: number,
): Promise<number[]> {
  const [from, document] = [sql.table(table), sql.ref(column)];
  const isSealed = sql`${document}::text like ${`%${SEALED_MARK}%`}::text`;
  const { rows: clear } = await sql<{ id: number }>`
    select id from ${from}
    where sub_organization_id = ${person.tenant} and address_marks is null and not ${isSealed}
      and ${mentions(sql`${document}::text`, person)}
    order by id limit ${most}::bigint`.execute(db);
  const found = clear.map(({ id }) => id);
  const parts = person.spellings.map(soughtParts);
  const sought = parts.some(({ length }) => length === 0) ? null : parts;
  const marked = sought === null ? [] : await possible(db, vault, { from, person, sought });
  const unmarked = sought === null ? isSealed : sql`address_marks is null and ${isSealed}`;
  for (const which of [sql`id = any(${marked}::bigint[])`, unmarked])
    for (let after = 0; found.length < most; ) {
      const { rows } = await sql<{ id: number; document: unknown }>`
        select id, ${document} as document from ${from}
        where sub_organization_id = ${person.tenant} and id > ${after} and ${which}
        order by id limit ${READ_AT_ONCE}::bigint`.execute(db);
      const last = rows.at(-1);
      if (!last) break;
      after = last.id;
      for (const { id, document } of rows) if (quotes(document, person)) found.push(id);
    }
  return found.slice(0, most);
}

/** Rows whose marks don't rule out that they quote one of these addresses. Index: test_cases_marks. */
async function possible(
  db: Db,
  vault: Vault,
  { from, person, sought }: { from: RawBuilder<unknown>; person: ErasedPerson; sought: string[][] },
): Promise<number[]> {
  const keys = await textKeys({ db, vault }, person.tenant);
  const found: number[] = [];
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; address_marks: Buffer }>`
      select id, address_marks from ${from}
      where sub_organization_id = ${person.tenant} and id > ${after} and address_marks is not null
      order by id limit ${MARKS_AT_ONCE}::bigint`.execute(db);
    const last = rows.at(-1);
    if (!last) return found;
    after = last.id;
    for (const { id, address_marks } of rows) if (mayHold(address_marks, sought, keys)) found.push(id);
  }
}

/** As `mentions` looks into a document in clear: for the address within its JSON, in any case. */
function quotes(document: unknown, { spellings }: ErasedPerson): boolean {
  const text = JSON.stringify(document).toLowerCase();
  return spellings.some((spelling) => text.includes(spelling.toLowerCase()));
}

const CASES = { table: "test_cases", column: "definition" } as const;
export const testCaseStore: PersonStore = {
  name: "test_cases",
  looks_once_below: MOST_ROWS,
  count: async (db, person, vault) => ({ test_cases: (await quoting(db, vault, CASES, person, ALL)).length }),
  removeSome: async (tx, person, _now, vault) => {
    const ids = await quoting(tx, vault, CASES, person, MOST_ROWS);
    return { test_cases: await removed(tx, sql`delete from test_cases where id = any(${ids}::bigint[])`) };
  },
};

/** A run keeps the cases it was begun with; one that quotes the address keeps only its results. */
const RUNS = { table: "test_runs", column: "cases" } as const;
export const testRunStore: PersonStore = {
  name: "test_runs_blanked",
  looks_once_below: MOST_ROWS,
  count: async (db, person, vault) => ({
    test_runs_blanked: (await quoting(db, vault, RUNS, person, ALL)).length,
  }),
  removeSome: async (tx, person, _now, vault) => {
    const ids = await quoting(tx, vault, RUNS, person, MOST_ROWS);
    return {
      test_runs_blanked: await removed(
        tx,
        sql`update test_runs set cases = '[]', address_marks = null where id = any(${ids}::bigint[])`,
      ),
    };
  },
};
