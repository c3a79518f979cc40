import { sql } from "kysely";
import type { Tx } from "./database.ts";

/** Null: it was done. Else what it did is undone, and the transaction goes on, unless its connection is lost. */
export async function failureOf(tx: Tx, act: () => Promise<unknown>): Promise<unknown> {
  await sql`savepoint before_act`.execute(tx);
  try {
    await act();
    await sql`release savepoint before_act`.execute(tx);
    return null;
  } catch (error) {
    await sql`rollback to savepoint before_act`.execute(tx);
    return error;
  }
}
