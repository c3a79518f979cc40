import { sql } from "kysely";
import { z } from "zod";
import { integer, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { keyForTexts } from "../data-keys/data-keys.ts";
import type { Db } from "../db/database.ts";

/** What is kept for a number of days; what no number is given for is kept for good. */
export const RETENTION_KINDS = [
  "recording",
  "session",
  "trace",
  "request",
  "insight",
  "event",
  "audit",
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];
export type RetentionDays = Record<RetentionKind, number | null>;

/** Long enough to look into what happened last week, and no archive of every prompt. */
const REQUEST_DAYS = 30;

/** A hundred years. */
const MOST_DAYS = 36_500;

export const daysKept = (what: string) =>
  integer({ min: 1, max: MOST_DAYS }).nullable().describe(`Days that ${what} are kept; null: for good.`);
const days = (what: string) => daysKept(what).default(null);

const PrivacySettingsRequest = z
  .strictObject({
    retention: z
      .strictObject({
        recording: days("recordings"),
        session: days("sessions, with transcripts and all that belongs to them,"),
        trace: days("traces of sessions"),
        request: days("requests to models and tools").default(REQUEST_DAYS),
        insight: days("results of insights"),
        event: days("events"),
        audit: days("audit entries"),
      })
      .prefault({}),
    store_requests: z
      .boolean()
      .default(true)
      .describe("Store what models and tools are sent, and the state from which each turn begins."),
    seal_texts: z
      .boolean()
      .default(false)
      .describe(
        "Store what is said in sessions that begin afterwards sealed, with a key of the organization: messages, tool calls, memory, traces, notes, texts, mails, and what models and tools were sent. So are variables of campaigns' requests, and tests with their runs, that are stored afterwards. Such sessions aren't found by their words.",
      ),
    audit_reads: z
      .boolean()
      .default(false)
      .describe("Write an audit entry for each read of a session, transcript, recording or export."),
  })
  .meta({ id: "PrivacySettingsRequest" });

const PrivacySettings = z
  .object({
    retention: z.record(z.enum(RETENTION_KINDS), z.int().nullable()),
    store_requests: z.boolean(),
    seal_texts: z.boolean(),
    audit_reads: z.boolean(),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "PrivacySettings" });
type PrivacySettings = z.infer<typeof PrivacySettings>;

/** What an organization keeps that has not said how long. */
const DEFAULT_RETENTION: RetentionDays = {
  recording: null,
  session: null,
  trace: null,
  request: REQUEST_DAYS,
  insight: null,
  event: null,
  audit: null,
};

async function readSettings(db: Db, organization_id: number): Promise<PrivacySettings> {
  const { rows } = await sql<{
    retention: Partial<RetentionDays> | null;
    store_requests: boolean;
    seal_texts: boolean;
    audit_reads: boolean;
    updated_at: string | null;
    updated_by: string | null;
  }>`
    select retention, stores_requests as store_requests, seals_texts as seal_texts, audit_reads, retention_updated_at as updated_at, retention_updated_by as updated_by
    from organizations where id = ${organization_id}`.execute(db);
  const {
    retention = null,
    store_requests = true,
    seal_texts = false,
    audit_reads = false,
    updated_at = null,
    updated_by = null,
  } = rows[0] ?? {};
  return {
    retention: { ...DEFAULT_RETENTION, ...retention },
    store_requests,
    seal_texts,
    audit_reads,
    updated_at,
    updated_by,
  };
}

/** How long each sub-organization keeps what. */
export async function tenantsWithRetention(
  db: Db,
): Promise<{ sub_organization_id: number; retention: RetentionDays }[]> {
  const { rows } = await sql<{ sub_organization_id: number; retention: Partial<RetentionDays> | null }>`
    select s.id as sub_organization_id, o.retention from organizations o
    join sub_organizations s on s.organization_id = o.id order by s.id`.execute(db);
  return rows.map((row) => ({ ...row, retention: { ...DEFAULT_RETENTION, ...row.retention } }));
}

export async function retentionOf(db: Db, sub_organization_id: number): Promise<RetentionDays> {
  const { rows } = await sql<{ retention: Partial<RetentionDays> | null }>`
    select o.retention from organizations o join sub_organizations s on s.organization_id = o.id
    where s.id = ${sub_organization_id}::bigint`.execute(db);
  return { ...DEFAULT_RETENTION, ...rows[0]?.retention };
}

export function privacySettingsRoutes(
  api: Api,
  { db, clock, vault }: { db: Db; clock: Clock; vault: Vault },
): void {
  const path = "/api/v1/organizations/privacy";
  const tag = "organizations";

  api.get(
    path,
    {
      summary: "Get the privacy settings of your organization",
      tag,
      permission: "organizations_read",
      response: PrivacySettings,
    },
    ({ caller }) => readSettings(db, caller.organization_id),
  );

  api.put(
    path,
    {
      summary: "Replace the privacy settings of your organization",
      description:
        "Once a day, what is older is deleted for good, in all sub-organizations. A kind that is null or left out is kept, and `seal_texts` and `audit_reads` left out are off. Sessions on legal hold are kept with all that belongs to them. With `audit_reads`, a read whose audit entry can't be written is refused.",
      tag,
      permission: "organizations_write",
      body: PrivacySettingsRequest,
      response: PrivacySettings,
    },
    ({ caller, body }) =>
      db.transaction().execute(async (tx) => {
        const { organization_id } = caller;
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = await readSettings(tx, organization_id);
        await sql`
          update organizations set retention = ${JSON.stringify(body.retention)}::json,
            stores_requests = ${body.store_requests}, seals_texts = ${body.seal_texts}, audit_reads = ${body.audit_reads}, retention_updated_at = ${clock.now().toISOString()}::timestamptz,
            retention_updated_by = ${caller.email}
          where id = ${organization_id}`.execute(tx);
        if (body.seal_texts) await keyForTexts({ db: tx, clock, vault }, caller.sub_organization_id);
        const after = await readSettings(tx, organization_id);
        await api.audit(tx, caller, {
          action: "update",
          resource: "privacy_settings",
          resource_id: organization_id,
          before,
          after,
        });
        return after;
      }),
  );
}
