import { sql } from "kysely";
import { z } from "zod";
import { integer, isCalendarDate, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { InvalidInput } from "../base/errors.ts";
import { OUTREACH_PURPOSES } from "../consent/consent.ts";
import type { Db, Tx } from "../db/database.ts";
import { isJurisdiction } from "../geography/person-zones.ts";
import {
  CONTACT_CHANNELS,
  type ContactHours,
  contactHoursFaults,
  FEDERAL_HOURS,
} from "../planning/contact-hours.ts";
import type { OutreachRules } from "../planning/person-hold.ts";
import { WEEKDAYS } from "../planning/weekday.ts";

const timeOfDay = (pattern: RegExp) =>
  z.string().regex(pattern, { error: "Write a time of the day as HH:MM, such as 08:00" });

// Strict: a misspelt key that is passed over would loosen a rule that somebody meant to set.
const jurisdiction = () =>
  z.string().refine(isJurisdiction, {
    error:
      'Write "*" for everybody, a country as its two letters ("US"), or a state of the US or Canada ("US-FL")',
  });

const calendarDate = () =>
  z.string().refine(isCalendarDate, { error: "Input should be a date that exists, as YYYY-MM-DD" });

const purpose = () => z.enum(OUTREACH_PURPOSES).nullable().default(null);

const ContactHoursSchema = z
  .strictObject({
    jurisdiction: jurisdiction().describe(
      '"*", a country ("US") or a state ("US-FL"), by the person\'s number; all that apply must be open.',
    ),
    channel: z.enum(CONTACT_CHANNELS).describe("`text` is SMS and WhatsApp."),
    purpose: purpose().describe(
      "Of the campaigns for which the row holds, beside the rows for every purpose; null: it holds for every purpose.",
    ),
    days: z.array(z.enum(WEEKDAYS)).max(7),
    from: timeOfDay(/^(?:[01]\d|2[0-3]):[0-5]\d$/).describe("On the person's own clock."),
    to: timeOfDay(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/),
    source: z.string().max(300).nullable().default(null).describe("The law or policy behind the rule."),
    checked_on: calendarDate().nullable().default(null).describe("When somebody last read the source."),
  })
  .meta({ id: "ContactHours" });

const ContactHolidaySchema = z
  .strictObject({
    jurisdiction: jurisdiction().describe("As of `contact_hours`."),
    date: calendarDate().describe("On the person's own clock, in every zone they may be in."),
    name: z.string().trim().min(1).max(100),
    channel: z.enum(CONTACT_CHANNELS).nullable().default(null).describe("Null: every channel."),
    purpose: purpose().describe("Null: every purpose."),
    source: z.string().max(300).nullable().default(null).describe("The law or policy behind the rule."),
  })
  .meta({ id: "ContactHoliday" });

const ContactCapSchema = z
  .strictObject({
    channel: z.enum([...CONTACT_CHANNELS, "any"]),
    attempts: integer({ min: 1, max: 100 }),
    days: integer({ min: 1, max: 90 }).describe("Counted over any stretch of this many times 24 hours."),
  })
  .meta({ id: "ContactCap" });

const OutreachRulesSchema = z
  .strictObject({
    person_clock: z
      .boolean()
      .describe(
        "Contact people only within `contact_hours` on their own clock, beside the campaign's window, and read the columns `timezone`, `not_before` and `not_after` of requests.",
      ),
    contact_hours: z.array(ContactHoursSchema).max(500),
    holidays: z
      .array(ContactHolidaySchema)
      .max(500)
      .default([])
      .describe("Days on which nobody of a jurisdiction is contacted, while `person_clock` is on."),
    caps: z
      .array(ContactCapSchema)
      .max(20)
      .describe("How often one number or address is contacted, over all campaigns of the organization."),
    days_after_conversation: integer({ min: 1, max: 90 })
      .nullable()
      .default(null)
      .describe("How long a person is left alone after a call they answered, in stretches of 24 hours."),
  })
  .meta({ id: "OutreachRules" });

type Rules = z.output<typeof OutreachRulesSchema>;

const StoredRules = OutreachRulesSchema.extend({
  updated_at: timestamp().nullable(),
  updated_by: z.string().nullable(),
}).meta({ id: "StoredOutreachRules" });
type StoredRules = z.output<typeof StoredRules>;
/** What was saved before there were holidays has none. */
type SavedRules = Omit<Rules, "holidays"> & Partial<Pick<Rules, "holidays">>;

/** What was saved before there were purposes has none. */
const anyPurpose = (row: ContactHours) => ({ ...row, purpose: row.purpose ?? null });

/** Until somebody saves rules: nothing beyond what campaigns say themselves. */
const UNSET: Rules = {
  person_clock: false,
  contact_hours: FEDERAL_HOURS.map(anyPurpose),
  holidays: [],
  caps: [],
  days_after_conversation: null,
};

async function readStored(db: Db, organization_id: number): Promise<StoredRules> {
  const { rows } = await sql<{
    rules: SavedRules | null;
    updated_at: string | null;
    updated_by: string | null;
  }>`
    select outreach_rules as rules, outreach_rules_updated_at as updated_at, outreach_rules_updated_by as updated_by
    from organizations where id = ${organization_id}`.execute(db);
  const { rules = null, updated_at = null, updated_by = null } = rows[0] ?? {};
  if (rules === null) return { ...UNSET, updated_at, updated_by };
  const { contact_hours, holidays = [] } = rules;
  return { ...rules, contact_hours: contact_hours.map(anyPurpose), holidays, updated_at, updated_by };
}

/** What an organization asks of every start to a person. */
export const readOutreachRules = (db: Db, organization_id: number): Promise<OutreachRules> =>
  readStored(db, organization_id);

/** By `by`, under the lock of the organization, which claims read too. */
export async function saveOutreachRules(
  tx: Tx,
  organization_id: number,
  rules: OutreachRules,
  { by, at }: { by: string; at: Date },
): Promise<void> {
  await sql`
    update organizations set outreach_rules = ${JSON.stringify(rules)}::json,
      outreach_rules_updated_at = ${at.toISOString()}::timestamptz, outreach_rules_updated_by = ${by}
    where id = ${organization_id}`.execute(tx);
}

const RULES = "/api/v1/outbound/rules";

/** The rules of an organization about when and how often people are contacted. */
export function outreachRulesRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "outbound";

  api.get(
    RULES,
    {
      summary: "Get the rules about when and how often people are contacted",
      description: "Until they are saved, `person_clock` is off and nothing is capped.",
      tag,
      permission: "outbound_read",
      response: StoredRules,
    },
    ({ caller }) => readStored(db, caller.organization_id),
  );

  api.put(
    RULES,
    {
      summary: "Replace the rules about when and how often people are contacted",
      description:
        "They hold for every campaign of the organization from the next start on. People who were put off under earlier rules are looked at again when that time has come. A rule that leaves no minute open is refused.",
      tag,
      permission: "organizations_write",
      body: OutreachRulesSchema,
      response: StoredRules,
    },
    ({ caller, body }) => {
      const faults = contactHoursFaults(body.contact_hours);
      if (faults.length > 0)
        throw new InvalidInput(
          faults.map(({ index, field, msg }) => ({
            loc: ["body", "contact_hours", index, field],
            msg,
            type: "value_error",
          })),
        );
      return db.transaction().execute(async (tx) => {
        const { organization_id } = caller;
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = await readStored(tx, organization_id);
        await saveOutreachRules(tx, organization_id, body, { by: caller.email, at: clock.now() });
        const after = await readStored(tx, organization_id);
        await api.audit(tx, caller, {
          action: "update",
          resource: "outreach-rules",
          resource_id: organization_id,
          before,
          after,
        });
        return after;
      });
    },
  );
}
