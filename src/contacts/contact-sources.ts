import { sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";

const ContactSourcesUpdate = z
  .strictObject({
    inbound_sessions: z
      .boolean()
      .describe("Whoever calls or writes from now on by telephone, text, WhatsApp or e-mail gets a contact."),
  })
  .meta({ id: "ContactSourcesUpdate" });

const ContactSources = ContactSourcesUpdate.extend({
  inbound_sessions_since: timestamp().nullable().describe("Sessions that began before made no contacts."),
}).meta({ id: "ContactSources" });
type ContactSources = z.infer<typeof ContactSources>;

const SOURCES = "/api/v1/organizations/contact-sources";

async function readSources(db: Db, organization_id: number): Promise<ContactSources> {
  const { rows } = await sql<{ since: string | null }>`
    select contacts_from_sessions_since as since from organizations where id = ${organization_id}`.execute(
    db,
  );
  const since = rows[0]?.since ?? null;
  return { inbound_sessions: since !== null, inbound_sessions_since: since };
}

/** Who gets a contact without anybody's doing. */
export function contactSourceRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "contacts";

  api.get(
    SOURCES,
    {
      summary: "Show which people get a contact by themselves",
      description: "People with a key in their requests do in any case, once the key's variable is named.",
      tag,
      permission: "sessions_read",
      response: ContactSources,
    },
    ({ caller }) => readSources(db, caller.organization_id),
  );

  api.put(
    SOURCES,
    {
      summary: "Set which people get a contact by themselves",
      description:
        "A contact is made within two minutes of the session's beginning, and listed and found by its address. Visitors of chat pages have no address and get none, nor do test sessions. Switched off, contacts that exist stay. Where sessions are deleted after some days, a contact of which nothing was noted goes with the last of its sessions.",
      tag,
      permission: "organizations_write",
      body: ContactSourcesUpdate,
      response: ContactSources,
    },
    ({ caller, body }) =>
      db.transaction().execute(async (tx) => {
        const { organization_id } = caller;
        // What came before the first that asks is passed over, however much it is.
        await sql`
          update contact_intake set after_session = (select coalesce(max(id), 0) from sessions)
          where not exists (select from organizations where contacts_from_sessions_since is not null)`.execute(
          tx,
        );
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = await readSources(tx, organization_id);
        const now = clock.now().toISOString();
        await sql`
          update organizations set contacts_from_sessions_since =
            case when ${body.inbound_sessions} then coalesce(contacts_from_sessions_since, ${now}::timestamptz) end
          where id = ${organization_id}`.execute(tx);
        const after = await readSources(tx, organization_id);
        await api.audit(tx, caller, {
          action: "update",
          resource: "contact-sources",
          resource_id: organization_id,
          before,
          after,
        });
        return after;
      }),
  );
}
