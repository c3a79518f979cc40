import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { InvalidInput } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";

type Given = { id: number; mode: "voice" | "sms"; channel_target_ids: number[] };

/**
 * Makes these the numbers of a group. One that stays keeps its rest. Refuses, all at once, targets that the sub-organization
 * does not have, of another mode, or of another group; of two groups that take a number at once one gets it.
 */
export async function replaceNumbers(
  tx: Tx,
  caller: Caller,
  { id, mode, channel_target_ids }: Given,
): Promise<void> {
  const ids = [...new Set(channel_target_ids)];
  const { rows } = await sql<{ id: number; target: string; target_mode: string; held_by: string | null }>`
    select t.id, t.target, t.target_mode, g.name as held_by
    from channel_targets t
    left join number_group_numbers m on m.channel_target_id = t.id and m.group_id <> ${id}
    left join number_groups g on g.id = m.group_id
    where t.id = any(${ids}::bigint[]) and t.sub_organization_id = ${caller.sub_organization_id}
    order by t.id for share of t`.execute(tx);
  const known = new Map(rows.map((row) => [row.id, row]));
  const faults = channel_target_ids.flatMap((given, index) => {
    const msg = faultOf(known.get(given), given, mode);
    return msg === null ? [] : [{ loc: ["body", "channel_target_ids", index], msg, type: "value_error" }];
  });
  if (faults.length > 0) throw new InvalidInput(faults);
  await sql`delete from number_group_numbers where group_id = ${id} and channel_target_id <> all(${ids}::bigint[])`.execute(
    tx,
  );
  const added = await sql<{ channel_target_id: number }>`
    insert into number_group_numbers (channel_target_id, group_id)
    select t, ${id}::bigint from unnest(${ids}::bigint[]) t order by t
    on conflict (channel_target_id) do update set group_id = excluded.group_id
      where number_group_numbers.group_id = excluded.group_id
    returning channel_target_id`.execute(tx);
  if (added.rows.length < ids.length) {
    const got = new Set(added.rows.map(({ channel_target_id }) => channel_target_id));
    throw new InvalidInput(
      channel_target_ids.flatMap((given, index) =>
        got.has(given)
          ? []
          : [{ loc: ["body", "channel_target_ids", index], msg: IN_ANOTHER, type: "value_error" }],
      ),
    );
  }
}

const IN_ANOTHER = "The number was just added to another number group. Reload and choose again.";
const MODE_WORDS = { voice: "calls", sms: "texts" };

function faultOf(
  found: { target: string; target_mode: string; held_by: string | null } | undefined,
  id: number,
  mode: "voice" | "sms",
): string | null {
  if (found === undefined) return `Channel target with ID ${id} not found`;
  const { target, target_mode, held_by } = found;
  if (target_mode !== mode)
    return `${target} is not connected for ${MODE_WORDS[mode]}. Choose another number.`;
  if (!/^\+?\d{7,15}$/.test(target)) return `${target} is no telephone number. Choose another one.`;
  return held_by === null
    ? null
    : `${target} is in the number group "${held_by}". Take it out there first: a number has one cap.`;
}
