import { type RawBuilder, sql } from "kysely";
import { SEALED_MARK } from "../base/sealed-text.ts";
import type { Db } from "../db/database.ts";
import { removed } from "./deleted-counts.ts";
import type { ErasedPerson } from "./person-address.ts";
import { mentions, type PersonStore } from "./person-store.ts";

/** An inbox keeps its latest messages only, so they are read. */
const inboxMessagesOf = (person: ErasedPerson): RawBuilder<unknown> => sql`
  select m.id from webhook_inbox_messages m join webhook_inboxes i on i.id = m.inbox_id
  where i.sub_organization_id = ${person.tenant} and ${mentions(sql`m.body || m.headers::text`, person)}`;

/**
 * Those, and the sealed ones that quote the address: no statement can look into these, and an inbox has a hundred. What is
 * read is opened on its way.
 */
async function inboxMessageIds(db: Db, person: ErasedPerson): Promise<number[]> {
  const { rows: plain } = await sql<{ id: number }>`${inboxMessagesOf(person)}`.execute(db);
  const { rows: sealed } = await sql<{ id: number; body: string }>`
    select m.id, m.body from webhook_inbox_messages m join webhook_inboxes i on i.id = m.inbox_id
    where i.sub_organization_id = ${person.tenant} and m.body like ${`${SEALED_MARK}%`}::text`.execute(db);
  const quoted = sealed.filter(({ body }) =>
    person.spellings.some((spelling) => body.toLowerCase().includes(spelling.toLowerCase())),
  );
  return [...plain, ...quoted].map(({ id }) => id);
}

export const inboxStore: PersonStore = {
  name: "webhook_inbox_messages",
  count: async (db, person) => ({ webhook_inbox_messages: (await inboxMessageIds(db, person)).length }),
  removeSome: async (tx, person) => {
    const ids = await inboxMessageIds(tx, person);
    return {
      webhook_inbox_messages: await removed(
        tx,
        sql`delete from webhook_inbox_messages where id = any(${ids}::bigint[])`,
      ),
    };
  },
};
