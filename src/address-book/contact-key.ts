import { sql } from "kysely";
import { z } from "zod";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";

const ContactKeySchema = z
  .strictObject({
    variable: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .nullable()
      .describe(
        "The variable of requests that carries your own key of the person, such as `patient_id`; null: requests link no addresses.",
      ),
  })
  .meta({ id: "ContactKey" });

/** The variable of requests that names their person by key; null: the organization has named none. */
export async function readKeyVariable(db: Db, organization_id: number): Promise<string | null> {
  const { rows } = await sql<{ variable: string | null }>`
    select contact_key_variable as variable from organizations where id = ${organization_id}`.execute(db);
  return rows[0]?.variable ?? null;
}

const KEY = "/api/v1/outbound/contact-key";

/** By which variable of requests an organization's addresses are joined. */
export function contactKeyRoutes(api: Api, { db }: { db: Db }): void {
  const tag = "contacts";

  api.get(
    KEY,
    {
      summary: "Get the variable that links the addresses of one person",
      description: "Until it is set, requests link no addresses.",
      tag,
      permission: "outbound_read",
      response: ContactKeySchema,
    },
    async ({ caller }) => ({ variable: await readKeyVariable(db, caller.organization_id) }),
  );

  api.put(
    KEY,
    {
      summary: "Set the variable that links the addresses of one person",
      description:
        "From then on, requests of one sub-organization that carry the same value in this variable are one contact's, with all their addresses. Requests that were added before link nothing. Links that exist stay.",
      tag,
      permission: "organizations_write",
      body: ContactKeySchema,
      response: ContactKeySchema,
    },
    ({ caller, body }) =>
      db.transaction().execute(async (tx) => {
        const { organization_id } = caller;
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = { variable: await readKeyVariable(tx, organization_id) };
        await sql`
          update organizations set contact_key_variable = ${body.variable} where id = ${organization_id}`.execute(
          tx,
        );
        await api.audit(tx, caller, {
          action: "update",
          resource: "contact-key",
          resource_id: organization_id,
          before,
          after: body,
        });
        return body;
      }),
  );
}
