import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { inputTimestamp, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { NUMBER_GROUPS } from "./number-group.ts";

const NumberRestRequest = z
  .strictObject({
    resting_until: inputTimestamp().nullable().describe("Null: the number is used again at once."),
  })
  .meta({ id: "NumberRestRequest" });

const NumberRest = z
  .object({
    channel_target_id: z.int(),
    number: z.string(),
    resting_until: timestamp().nullable(),
    rest_reason: z.string().nullable(),
  })
  .meta({ id: "NumberRest" });
type NumberRest = z.output<typeof NumberRest>;

type Deps = {
  db: Db;
  clock: Clock;
  /** Has the dialer look at the batches of its campaigns, in the transaction of the change. */
  wakeNumberGroup(tx: Tx, group_id: number, at: Date): Promise<void>;
};

/** A number rested, or used again, by hand. */
export function numberRestRoutes(api: Api, { db, clock, wakeNumberGroup }: Deps): void {
  const params = z.object({ number_group_id: recordId(), channel_target_id: recordId() });
  type Place = z.output<typeof params>;

  const find = async (tx: Tx, { sub_organization_id }: Caller, place: Place): Promise<NumberRest> => {
    const { rows } = await sql<NumberRest>`
      select m.channel_target_id, t.target as number, m.resting_until, m.rest_reason
      from number_group_numbers m
      join number_groups g on g.id = m.group_id
      join channel_targets t on t.id = m.channel_target_id
      where m.group_id = ${place.number_group_id} and m.channel_target_id = ${place.channel_target_id}
        and g.sub_organization_id = ${sub_organization_id} and g.deleted_at is null
      for update of m`.execute(tx);
    const [found] = rows;
    if (!found) throw notFound("Number of the group", place.channel_target_id);
    return found;
  };

  api.put(
    `${NUMBER_GROUPS}/:number_group_id/numbers/:channel_target_id/rest`,
    {
      summary: "Rest a number of a group, or use it again",
      description: "From the end of its rest on, its health is judged by new attempts alone.",
      tag: "number-groups",
      permission: "outbound_write",
      params,
      body: NumberRestRequest,
      response: NumberRest,
    },
    ({ caller, params, body }) =>
      write(db, "Number group", async (tx) => {
        const before = await find(tx, caller, params);
        const now = clock.now();
        const until = body.resting_until ?? now.toISOString();
        await sql`
          update number_group_numbers set resting_until = ${until}::timestamptz,
            rest_reason = ${body.resting_until === null ? null : `set by ${caller.email}`}::text
          where channel_target_id = ${params.channel_target_id}`.execute(tx);
        await wakeNumberGroup(tx, params.number_group_id, now);
        const after = await find(tx, caller, params);
        await api.audit(tx, caller, {
          action: "update",
          resource: "number-rests",
          resource_id: params.channel_target_id,
          before,
          after,
        });
        return after;
      }),
  );
}
