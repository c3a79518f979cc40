import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { NumberRules } from "../planning/numbers/number-choice.ts";

/** A number of a group with its channel target. `uses`: on the day that runs. */
export type GroupNumber = {
  channel_target_id: number;
  channel_id: number;
  number: string;
  is_test: boolean;
  resting_until: string | null;
  uses: number;
};

/** A group and its numbers as the dialer needs them. `day`: the one that runs on the group's clock, until `day_ends`. */
export type NumberGroupNow = NumberRules & {
  id: number;
  mode: "voice" | "sms";
  timezone: string;
  day: string;
  day_ends: string;
  numbers: GroupNumber[];
};

/**
 * Numbers count whose target the sub-organization still has, with an agent who answers those who call back. Read under the
 * lock of the organizations, the uses are exact. Indexes: primary keys, `number_group_numbers_group`.
 */
export async function readNumberGroups(
  db: Db,
  ids: number[],
  now: Date,
): Promise<Map<number, NumberGroupNow>> {
  if (ids.length === 0) return new Map();
  const at = now.toISOString();
  const { rows } = await sql<NumberGroupNow>`
    select g.id, g.name, g.mode, g.timezone, g.daily_cap, g.local_presence, d.day::text as day,
      (d.day + 1)::timestamp at time zone g.timezone as day_ends,
      (
        select coalesce(json_agg(json_build_object('channel_target_id', t.id, 'channel_id', t.channel_id,
          'number', t.target, 'is_test', t.is_test, 'resting_until', m.resting_until, 'uses', coalesce(u.uses, 0))
          order by t.id), '[]')
        from number_group_numbers m
        join channel_targets t on t.id = m.channel_target_id and t.target_mode = g.mode
          and t.sub_organization_id = g.sub_organization_id
        join agents a on a.id = t.agent_id and a.deleted_at is null
        left join number_uses u on u.organization_id = o.organization_id and u.mode = g.mode and u.number = t.target
          and u.day = d.day
        where m.group_id = g.id
      ) as numbers
    from number_groups g
    join sub_organizations o on o.id = g.sub_organization_id
    cross join lateral (select (${at}::timestamptz at time zone g.timezone)::date as day) d
    where g.id = any(${ids}::bigint[]) and g.deleted_at is null`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
