import { sql } from "kysely";
import { purposeOf, type ReachRules } from "../campaigns/reach-rules.ts";
import type { OutreachRules } from "../planning/person-hold.ts";
import { betterHours, type HourAnswers, type HourPreference } from "../planning/retries/better-hours.ts";
import type { Hours } from "../planning/schedule.ts";
import { CAMPAIGN_HOURS } from "./read-earlier.ts";

/** What a settlement reads for a call of a campaign that prefers the hours in which people answer. */
export type StoredPreference = {
  within_h: number;
  learned: HourAnswers[];
  hours: Hours;
  rules: OutreachRules | null;
  reach_rules: ReachRules | null;
  person: HourPreference["person"];
};

/** Null: the campaign does not ask for it. Of the aliases `a`, `c` and `r`. Indexes: primary keys. */
export const BETTER_HOURS = sql`case when c.better_hours_within is not null and c.answer_hours is not null and a.mode = 'voice'
  then json_build_object('within_h', c.better_hours_within, 'learned', c.answer_hours -> 'hours', 'hours', ${CAMPAIGN_HOURS},
    'reach_rules', c.reach_rules, 'rules', (select outreach_rules from organizations where id = a.organization_id),
    'person', json_build_object('target', r.target, 'request_variables', r.request_variables, 'contact_timezone', (
      select p.timezone from contact_addresses m join contacts p on p.id = m.contact_id
      where m.sub_organization_id = a.sub_organization_id and m.address = r.target collate "C"))) end`;

/** Null where no hour is better than the others. */
export function preferenceOf(
  stored: StoredPreference | null,
  expires_on: string | null,
): HourPreference | null {
  if (stored === null) return null;
  const { learned, reach_rules, ...rest } = stored;
  const better = betterHours(learned);
  return better.length === 0
    ? null
    : {
        ...rest,
        purpose: purposeOf(reach_rules),
        better,
        expires_on: expires_on === null ? null : new Date(expires_on),
      };
}
