import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { SESSIONS_AT_ONCE } from "./delete-sessions.ts";
import { removed } from "./deleted-counts.ts";
import { listFiles } from "./files-to-remove.ts";
import { type ErasedPerson, isTheirs, loosePattern } from "./person-address.ts";
import type { PersonStore } from "./person-store.ts";

/** Numbers stand there as they were uploaded: those that may be the person's are read. Index: insight_files_customer. */
async function filesOf(db: Db, person: ErasedPerson): Promise<number[]> {
  const { rows } = await sql<{ id: number; customer_number: string }>`
    select id, customer_number from insight_files
    where sub_organization_id = ${person.tenant}
      and customer_number ~* any(${person.spellings.map(loosePattern)}::text[])
    order by id`.execute(db);
  return rows.flatMap(({ id, customer_number }) => (isTheirs(person, customer_number) ? [id] : []));
}

export const uploadStore: PersonStore = {
  name: "uploads",
  count: async (db, person) => ({ uploads: (await filesOf(db, person)).length }),
  async removeSome(tx, person) {
    const { rows } = await sql<{ id: number; object_key: string }>`
      select id, object_key from insight_files where id = any(${await filesOf(tx, person)}::bigint[]) order by id
      limit ${SESSIONS_AT_ONCE}::bigint for update`.execute(tx);
    const ids = sql`any(${rows.map(({ id }) => id)}::bigint[])`;
    const insight_results = await removed(tx, sql`delete from insight_outputs where upload_file_id = ${ids}`);
    const insight_executions = await removed(
      tx,
      sql`delete from insight_executions where upload_file_id = ${ids}`,
    );
    await removed(tx, sql`delete from insight_files where id = ${ids}`);
    await listFiles(
      tx,
      person.tenant,
      rows.map(({ object_key }) => object_key),
    );
    return { uploads: rows.length, insight_results, insight_executions };
  },
};
