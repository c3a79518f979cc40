import { sql } from "kysely";
import { z } from "zod";
import { isCalendarDate, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { InvalidInput } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { isJurisdiction } from "../geography/person-zones.ts";
import {
  ANNOUNCEMENT_CHANNELS,
  ANNOUNCEMENT_KINDS,
  type AnnouncementRow,
  announcementFaults,
} from "./announcement.ts";
import { OFFERED_ROWS } from "./offered-rows.ts";

const MOST_ROWS = 200;
const MOST_LANGUAGES = 20;
/** Some 30 seconds of speech: nobody hears more before a greeting. */
const LONGEST_TEXT = 400;

const language = () =>
  z
    .string()
    .max(35)
    .refine(isLanguageTag, { error: 'Write a language as its BCP 47 tag, such as "en" or "es-US"' });

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

// Strict: a misspelt key that is passed over would leave out what somebody meant to have said.
const AnnouncementRowSchema = z
  .strictObject({
    kind: z
      .enum(ANNOUNCEMENT_KINDS)
      .describe("`ai`: an artificial agent speaks or writes. `recording`: the call is recorded."),
    jurisdiction: z
      .string()
      .refine(isJurisdiction, {
        error:
          'Write "*" for everybody, a country as its two letters ("US"), or a state of the US or Canada ("US-CA")',
      })
      .describe('"*", a country ("US") or a state ("US-CA"), by the person\'s number or postal code.'),
    channels: z
      .array(z.enum(ANNOUNCEMENT_CHANNELS))
      .min(1)
      .max(ANNOUNCEMENT_CHANNELS.length)
      .describe("`text` is SMS and WhatsApp. A `recording` row is for `call` alone."),
    texts: z
      .record(language(), z.string().trim().min(1).max(LONGEST_TEXT))
      .refine((texts) => Object.keys(texts).length <= MOST_LANGUAGES, {
        error: `Name at most ${MOST_LANGUAGES} languages`,
      })
      .describe("By language (BCP 47)."),
    default_language: language().describe("One of `texts`, for conversations in every other language."),
    source: z.string().max(300).nullable().default(null).describe("The law or policy behind the row."),
    checked_on: z
      .string()
      .refine(isCalendarDate, { error: "Input should be a date that exists, as YYYY-MM-DD" })
      .nullable()
      .default(null)
      .describe("When somebody last read the source."),
    note: z
      .string()
      .max(500)
      .nullable()
      .default(null)
      .describe("What is contested about the source, and which side the row takes. Never said."),
  })
  .meta({ id: "AnnouncementRow" });

const Announcements = z
  .strictObject({
    rows: z.array(AnnouncementRowSchema).max(MOST_ROWS),
  })
  .meta({ id: "Announcements" });

const StoredAnnouncements = z
  .object({
    rows: z.array(AnnouncementRowSchema),
    offered: z
      .array(AnnouncementRowSchema)
      .describe(
        "Rows to start from; nothing of them is said until they are saved. `checked_on` is the day on which the words of the source were read for this list, null where only summaries were. No legal advice.",
      ),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "StoredAnnouncements" });

async function readStored(db: Db, organization_id: number) {
  const { rows } = await sql<{
    rows: AnnouncementRow[] | null;
    updated_at: string | null;
    updated_by: string | null;
  }>`
    select announcements as rows, announcements_updated_at as updated_at, announcements_updated_by as updated_by
    from organizations where id = ${organization_id}`.execute(db);
  const { rows: saved, updated_at = null, updated_by = null } = rows[0] ?? {};
  // Rows that were saved before notes have none.
  return { rows: (saved ?? []).map((row) => ({ ...row, note: row.note ?? null })), updated_at, updated_by };
}

const withOffered = <Stored extends object>(stored: Stored) => ({ ...stored, offered: [...OFFERED_ROWS] });

/** What an organization's agents say at the start of a conversation, by where the person is. */
export function announcementRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/organizations/announcements";
  const tag = "organizations";

  api.get(
    path,
    {
      summary: "Get what your organization's agents announce at the start of conversations",
      description: "Until rows are saved, nothing is announced.",
      tag,
      permission: "organizations_read",
      response: StoredAnnouncements,
    },
    async ({ caller }) => withOffered(await readStored(db, caller.organization_id)),
  );

  api.put(
    path,
    {
      summary: "Replace what your organization's agents announce at the start of conversations",
      description:
        "Applies to conversations that begin afterwards. The agent's first words begin with the text of each kind whose row is for the person's jurisdiction, in the conversation's language; a recording is announced only on calls that are recorded. Where several jurisdictions are possible, one of them suffices.",
      tag,
      permission: "organizations_write",
      body: Announcements,
      response: StoredAnnouncements,
    },
    ({ caller, body }) => {
      const faults = announcementFaults(body.rows);
      if (faults.length > 0)
        throw new InvalidInput(
          faults.map(({ index, field, msg }) => ({
            loc: ["body", "rows", index, field],
            msg,
            type: "value_error",
          })),
        );
      return db.transaction().execute(async (tx) => {
        const { organization_id, email } = caller;
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = await readStored(tx, organization_id);
        await sql`
          update organizations set announcements = ${JSON.stringify(body.rows)}::json,
            announcements_updated_at = ${clock.now().toISOString()}::timestamptz, announcements_updated_by = ${email}
          where id = ${organization_id}`.execute(tx);
        const after = await readStored(tx, organization_id);
        await api.audit(tx, caller, {
          action: "update",
          resource: "announcements",
          resource_id: organization_id,
          before,
          after,
        });
        return withOffered(after);
      });
    },
  );
}
