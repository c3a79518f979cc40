import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import type { DB } from "../db/types.ts";
import type { Caller } from "./caller.ts";

type Holder = Pick<Caller, "sub_organization_id">;

/** Tables whose rows have these columns. */
type TableWith<Column extends string> = {
  [Table in keyof DB]: DB[Table] extends Record<Column, unknown> ? Table : never;
}[keyof DB];

/**
 * Whether the sub-organization has this record, which then stays until the transaction ends. Who is about to point at it
 * holds it with "share", who is about to change or delete it with "update"; each waits for the other's transaction, so that
 * nothing ever points at a deleted record. Lock: its row.
 */
export async function holdRecord(
  tx: Tx,
  { sub_organization_id }: Holder,
  table: TableWith<"id" | "sub_organization_id" | "deleted_at">,
  id: number,
  lock: "share" | "update",
): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table)}
    where id = ${id} and sub_organization_id = ${sub_organization_id} and deleted_at is null
    ${lock === "share" ? sql`for share` : sql`for update`}`.execute(tx);
  return rows.length > 0;
}

/**
 * Lock: the sub-organization's row, if there is one, deleted or not. By a statement of its own, before the record is read:
 * one that waits and joins another table joins what was there before it waited.
 */
export async function lockRow(
  tx: Tx,
  { sub_organization_id }: Holder,
  table: TableWith<"id" | "sub_organization_id">,
  id: number,
): Promise<void> {
  await sql`
    select from ${sql.table(table)}
    where id = ${id} and sub_organization_id = ${sub_organization_id} for update`.execute(tx);
}
