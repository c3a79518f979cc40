import { type RawBuilder, sql } from "kysely";
import { containing } from "../api/list.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db, Tx } from "../db/database.ts";
import { type DeletedCounts, removed } from "./deleted-counts.ts";
import type { ErasedPerson } from "./person-address.ts";

/** Where something of a person is stored: how it is counted, and how some of it is deleted in one transaction. */
export type PersonStore = {
  name: string;
  count(db: Db, person: ErasedPerson, vault: Vault): Promise<DeletedCounts>;
  /** Each look costs as much as all there is: whoever was told of fewer rows than this need not look again. */
  looks_once_below?: number;
  /** Deletes a bounded number; all zeros: nothing is left. */
  removeSome(tx: Tx, person: ErasedPerson, now: Date, vault: Vault): Promise<DeletedCounts>;
};

export const MOST_ROWS = 1_000;

/** Rows of the person by a column of their address. */
export const ofPerson = ({ tenant, spellings }: ErasedPerson, column: string): RawBuilder<unknown> =>
  sql`sub_organization_id = ${tenant} and ${sql.ref(column)} = any(${spellings}::text[])`;

/** Rows in whose text the address stands. */
export const mentions = (text: RawBuilder<unknown>, { spellings }: ErasedPerson): RawBuilder<unknown> =>
  sql`(${sql.join(
    spellings.map((spelling) => sql`${text} ilike ${containing(spelling)}`),
    sql` or `,
  )})`;

export async function counted(db: Db, rows: RawBuilder<unknown>): Promise<number> {
  const { rows: found } = await sql<{ n: number }>`select count(*) as n from (${rows}) as found`.execute(db);
  return found[0]?.n ?? 0;
}

/** A store of one table whose rows have an id. */
export const storeOfTable = (
  name: string,
  table: string,
  rowsOf: (person: ErasedPerson) => RawBuilder<unknown>,
): PersonStore => ({
  name,
  count: async (db, person) => ({ [name]: await counted(db, rowsOf(person)) }),
  removeSome: async (tx, person) => ({
    [name]: await removed(
      tx,
      sql`delete from ${sql.table(table)} where id in (select id from (${rowsOf(person)}) as found limit ${MOST_ROWS}::bigint)`,
    ),
  }),
});
