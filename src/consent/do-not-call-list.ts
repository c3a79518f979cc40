import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { name, timestamp } from "../api/schema.ts";
import type { Db } from "../db/database.ts";
import { CONSENT_PURPOSES } from "./consent.ts";

const DO_NOT_CALL_KINDS = ["internal", "national", "litigators", "other"] as const;

/** Callers in the US have to use a registry file that is at most this old (16 CFR 310.4(b)(3)(iv)). */
const MOST_AGE_days = 31;

export const DoNotCallListSettings = z
  .strictObject({
    name: name(),
    kind: z.enum(DO_NOT_CALL_KINDS).default("internal"),
    purposes: z
      .array(z.enum(CONSENT_PURPOSES))
      .min(1)
      .max(2)
      .default(["marketing"])
      .describe("Campaigns of these purposes skip the numbers. Emergencies never do."),
    channels: z
      .array(z.enum(["call", "text"]))
      .min(1)
      .max(2)
      .default(["call", "text"]),
    consent_overrides: z
      .boolean()
      .default(false)
      .describe("Who gave a consent to the purpose and channel that is on record is contacted all the same."),
  })
  .meta({ id: "DoNotCallListSettings" });

export const DoNotCallList = z
  .object({
    id: z.int(),
    name: z.string(),
    kind: z.enum(DO_NOT_CALL_KINDS),
    purposes: z.array(z.string()),
    channels: z.array(z.string()),
    consent_overrides: z.boolean(),
    numbers: z.int(),
    file_name: z.string().nullable(),
    as_of: z.string().nullable().describe("The date of the file's content."),
    age_days: z.int().nullable(),
    is_outdated: z
      .boolean()
      .describe(`A national list whose file is missing or older than ${MOST_AGE_days} days.`),
    imported_at: timestamp().nullable(),
    imported_by: z.string().nullable(),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "DoNotCallList" });
export type DoNotCallList = z.output<typeof DoNotCallList>;

export const listRules: list.ListRules = {
  fields: {
    id: list.integer("l.id"),
    name: list.text("l.name"),
    kind: list.exact("l.kind"),
    numbers: list.integer("l.numbers"),
    as_of: list.text("l.as_of"),
    is_outdated: list.boolean("l.is_outdated"),
    last_updated: list.time("l.last_updated"),
  },
  time: "l.last_updated",
  order: [{ column: "l.id", direction: "asc" }],
};

export const selectLists = (db: Db, { sub_organization_id }: Caller, now: Date) =>
  db
    .selectFrom(
      sql<DoNotCallList>`(
        select id, name, kind, purposes, channels, consent_overrides, numbers, file_name, as_of::text as as_of, age_days,
          kind = 'national' and coalesce(age_days > ${MOST_AGE_days}, true) as is_outdated,
          imported_at, imported_by, last_updated, last_updated_by
        from do_not_call_lists
        cross join lateral (select (${now.toISOString()}::timestamptz at time zone 'UTC')::date - as_of as age_days) age
        where sub_organization_id = ${sub_organization_id} and deleted_at is null
      )`.as<"l">("l"),
    )
    .selectAll("l");

export async function outdatedDoNotCallLists(db: Db, caller: Caller, now: Date): Promise<string[]> {
  const rows = await selectLists(db, caller, now)
    .where("l.is_outdated", "=", true)
    .orderBy("l.name")
    .execute();
  return rows.map(({ name }) => name);
}
