import { sql } from "kysely";
import { type SafetyRules, wholeRules } from "../accounts/safety-rules.ts";
import {
  type Announcement,
  type AnnouncementRow,
  announcementChannelOf,
  announcementsFor,
} from "../announcements/announcement.ts";
import type { Db } from "../db/database.ts";
import { jurisdictionsOf } from "../geography/person-zones.ts";
import { postalCodes } from "../geography/postal-columns.ts";

/** What an organization's rules say of a session that begins; null: there are none of a kind. */
export type OrganizationRules = { safety: SafetyRules | null; announcements: AnnouncementRow[] | null };

export async function organizationRules(db: Db, sub_organization_id: number): Promise<OrganizationRules> {
  const { rows } = await sql<OrganizationRules>`
    select o.safety_rules as safety, o.announcements from organizations o
    join sub_organizations s on s.organization_id = o.id
    where s.id = ${sub_organization_id}`.execute(db);
  const { safety = null, announcements = null } = rows[0] ?? {};
  return { safety: wholeRules(safety), announcements };
}

/** What a session says at its start, by the person's number and the postal code that came with the campaign's request. */
export function sessionAnnouncements(
  rows: readonly AnnouncementRow[] | null,
  session: {
    channel: Parameters<typeof announcementChannelOf>[0];
    source: string | null;
    is_recorded?: boolean | undefined;
    variables?: Record<string, string> | undefined;
  },
  language: string,
): Announcement[] {
  if (rows === null || rows.length === 0) return [];
  return announcementsFor(rows, {
    channel: announcementChannelOf(session.channel),
    jurisdictions: jurisdictionsOf(session.source ?? "", postalCodes(session.variables ?? {})),
    is_recorded: session.is_recorded ?? false,
    language,
  });
}
