import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import * as list from "../../api/list.ts";
import { timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Db } from "../../db/database.ts";

/** Who did what to which record (written by `audit.ts`); nobody can change or delete one. */
const AuditEntryResponse = z
  .object({
    id: z.int(),
    at: timestamp(),
    actor: z.string().describe("The e-mail address of the person, or of who made the API token"),
    user_id: z.int().nullish(),
    api_token_id: z.int().nullish().describe("null when done in the console"),
    address: z.string().nullish(),
    request_id: z.string().nullish().describe("As in the answer's x-request-id and in the log"),
    action: z.string(),
    resource: z.string(),
    resource_id: z.string().nullish(),
    before: z.unknown().nullish(),
    after: z.unknown().nullish(),
  })
  .meta({ id: "AuditEntryResponse" });
type AuditEntryResponse = z.infer<typeof AuditEntryResponse>;

// Indexes: audit_entries_words, _user, _token, _request, _record.
const auditList: list.ListRules = {
  fields: {
    id: list.integer("a.id"),
    at: list.time("a.at"),
    actor: list.byTrigrams(list.text("a.actor")),
    user_id: list.integer("a.user_id"),
    api_token_id: list.integer("a.api_token_id"),
    address: list.byTrigrams(list.text("a.address")),
    request_id: list.exact("a.request_id"),
    action: list.read(list.exact("a.action")),
    resource: list.read(list.exact("a.resource")),
    resource_id: list.textId("a.resource_id"),
    before: list.read(list.document("a.before")),
    after: list.read(list.document("a.after")),
  },
  time: "a.at",
  order: [
    { column: "a.at", direction: "desc" },
    { column: "a.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

const selectEntries = (db: Db, caller: Caller) =>
  db
    .selectFrom("audit_entries as a")
    .where("a.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "a.id",
      "a.at",
      "a.actor",
      "a.user_id",
      "a.api_token_id",
      "a.address",
      "a.request_id",
      "a.action",
      "a.resource",
      "a.resource_id",
      "a.before",
      "a.after",
    ])
    .$castTo<AuditEntryResponse>();

export function auditEntryRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/audit_entries/",
    {
      summary: "List the audit trail",
      description: `Newest first. Each change with the record before and after it, sign-ins, failed sign-ins and tests; never a secret. Frequent events (failed sign-ins, sign-ins of services, test conversations) have one entry an hour, whose \`after.times\` counts it. ${list.LONG}`,
      tag: "audit_entries",
      permission: "audit_read",
      query: list.listQuery(auditList),
      response: list.listOf(AuditEntryResponse),
    },
    ({ caller, query }) =>
      list.recordPage(AuditEntryResponse, db, selectEntries(db, caller), query, auditList),
  );
}
