import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource } from "../api/resource.ts";
import { inputTimestamp, integer, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { invalid, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";

/**
 * A notice about a disturbance, written by those who operate the installation. It is for everybody, or for the
 * organization or sub-organization that it names; to all others it doesn't exist.
 */
const IncidentCreateRequest = z
  .object({
    description: z.string(),
    start_datetime: inputTimestamp(),
    resolution_datetime: inputTimestamp(),
    impact_category: z.string().describe("Low, Medium, High or Critical, or words of your own."),
    sessions_impacted: integer({ min: 0 }),
    markdown: z.string(),
    organization_id: recordId().nullish(),
    sub_organization_id: recordId().nullish(),
    sub_organization: z
      .string()
      .nullish()
      .meta({ deprecated: true })
      .describe("Its name, where sub_organization_id is omitted."),
  })
  .meta({ id: "IncidentCreateRequest" });
const IncidentUpdateRequest = IncidentCreateRequest.extend({ id: recordId() }).meta({
  id: "IncidentUpdateRequest",
});
type IncidentInput = z.infer<typeof IncidentCreateRequest>;

export const IncidentResponse = z
  .object({
    description: z.string(),
    start_datetime: timestamp(),
    resolution_datetime: timestamp(),
    impact_category: z.string(),
    sessions_impacted: z.int(),
    markdown: z.string(),
    organization_id: z.int().nullish(),
    sub_organization_id: z.int().nullish(),
    sub_organization: z.string().nullish().meta({ deprecated: true }),
    id: z.int(),
    created_at: timestamp().nullish(),
    updated_at: timestamp().nullish(),
    last_updated_by: z.string().nullable(),
  })
  .meta({ id: "IncidentResponse" });

const IncidentOrganizationResponse = z
  .object({ id: z.int(), name: z.string(), display_name: z.string() })
  .meta({ id: "IncidentOrganizationResponse" });

const incidentList: list.ListRules = {
  fields: {
    id: list.integer("i.id"),
    description: list.text("i.description"),
    impact_category: list.text("i.impact_category"),
    sessions_impacted: list.integer("i.sessions_impacted"),
    markdown: list.text("i.markdown"),
    created_at: list.time("i.created_at"),
    updated_at: list.time("i.updated_at"),
    organization_id: list.integer("i.organization_id"),
    sub_organization_id: list.integer("i.sub_organization_id"),
    start_datetime: list.time("i.start_datetime"),
    // The public API lists by a field that no incident has; an incident ends when it is resolved.
    end_datetime: list.time("i.resolution_datetime"),
    resolution_datetime: list.time("i.resolution_datetime"),
  },
  time: "i.updated_at",
  order: [{ column: "i.id", direction: "asc" }],
};

const isOperator = ({ permissions }: Caller): boolean =>
  ["sa_incidents_read", "sa_incidents_write", "sa_incidents_delete"].some((name) => permissions.has(name));

const selectIncidents = (db: Db, caller: Caller) => {
  const all = db
    .selectFrom("incidents as i")
    .leftJoin("sub_organizations as s", "s.id", "i.sub_organization_id")
    .where("i.deleted_at", "is", null)
    .select([
      "i.description",
      "i.start_datetime",
      "i.resolution_datetime",
      "i.impact_category",
      "i.sessions_impacted",
      "i.markdown",
      "i.organization_id",
      "i.sub_organization_id",
      "s.name as sub_organization",
      "i.id",
      "i.created_at",
      "i.updated_at",
      "i.last_updated_by",
    ]);
  if (isOperator(caller)) return all;
  return all
    .where(sql<boolean>`coalesce(i.organization_id, ${caller.organization_id}) = ${caller.organization_id}`)
    .where(
      sql<boolean>`coalesce(i.sub_organization_id, ${caller.sub_organization_id}) = ${caller.sub_organization_id}`,
    );
};

export function incidentRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const values = async (tx: Tx, caller: Caller, input: IncidentInput) => ({
    description: input.description,
    start_datetime: input.start_datetime,
    resolution_datetime: input.resolution_datetime,
    impact_category: input.impact_category,
    sessions_impacted: input.sessions_impacted,
    markdown: input.markdown,
    ...(await audienceOf(tx, input)),
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  api.get(
    "/api/v1/incidents/organizations",
    {
      summary: "List the organizations that incidents can be written for",
      tag: "incidents",
      permission: "sa_incidents_read",
      response: z.array(IncidentOrganizationResponse),
    },
    () =>
      db
        .selectFrom("organizations")
        .select(["id", "name", "display_name"])
        .where("deleted_at", "is", null)
        .orderBy("id")
        .execute(),
  );

  addResource(api, db, {
    path: "/api/v1/incidents",
    noun: "Incident",
    id_name: "incident_id",
    tag: "incidents",
    permission: { read: "incidents_read", write: "sa_incidents_write", delete: "sa_incidents_delete" },
    record: IncidentResponse,
    create: IncidentCreateRequest,
    update: IncidentUpdateRequest,
    list: incidentList,
    store: {
      page: (caller, query) => list.listPage(db, selectIncidents(db, caller), query, incidentList),
      find: (from, caller, id) => selectIncidents(from, caller).where("i.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        refuseReversed(input);
        const row = await values(tx, caller, input);
        const { id } = await tx
          .insertInto("incidents")
          .values({ ...row, created_at: row.updated_at })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, input) {
        refuseReversed(input);
        await tx
          .updateTable("incidents")
          .set(await values(tx, caller, input))
          .where("id", "=", input.id)
          .execute();
      },
      async remove(tx, _caller, id, { reason }) {
        await tx
          .updateTable("incidents")
          .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
          .where("id", "=", id)
          .execute();
      },
    },
  });
}

function refuseReversed({ start_datetime, resolution_datetime }: IncidentInput): void {
  // Both are in UTC, in one spelling.
  if (resolution_datetime >= start_datetime) return;
  throw invalid(["body", "resolution_datetime"], "An incident can't be resolved before start_datetime");
}

/** Whom the notice is for; a name of a sub-organization stands for the only one that bears it. */
async function audienceOf(tx: Tx, input: IncidentInput) {
  const organization_id = input.organization_id ?? null;
  if (organization_id !== null) {
    const organization = await tx
      .selectFrom("organizations")
      .select("id")
      .where("id", "=", organization_id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (!organization) throw notFound("Organization", organization_id);
  }
  // An answer sent back carries id and name; there the id counts, null included.
  const named = input.sub_organization_id === undefined ? (input.sub_organization ?? null) : null;
  if (input.sub_organization_id == null && named === null) {
    return { organization_id, sub_organization_id: null };
  }
  let matching = tx.selectFrom("sub_organizations").select("id").limit(2);
  if (organization_id !== null) matching = matching.where("organization_id", "=", organization_id);
  if (input.sub_organization_id != null) {
    const found = await matching.where("id", "=", input.sub_organization_id).executeTakeFirst();
    if (!found) throw notFound("Sub-organization", input.sub_organization_id);
    return { organization_id, sub_organization_id: found.id };
  }
  const [found, another] = await matching.where("name", "=", named).execute();
  if (!found || another) {
    const message = another
      ? "Several sub-organizations have this name; send an id"
      : "No sub-organization has this name";
    throw invalid(["body", "sub_organization"], message);
  }
  return { organization_id, sub_organization_id: found.id };
}
