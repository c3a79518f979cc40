import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { canonicalTimezone } from "../agents/timezone.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, refuseWhileHeld } from "../api/resource.ts";
import { name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { type Db, jsonOrNull, type Tx } from "../db/database.ts";
import { replaceNumbers } from "./group-numbers.ts";

/** A claim chooses for up to 200 people while it holds the lock of their organization; among so many numbers in some 25 ms. */
const MOST_NUMBERS = 500;
const HOURS = 24 * 30;

const NumberHealthRule = z
  .strictObject({
    window_hours: z.int().min(1).max(HOURS).describe("Attempts of so many hours are looked at."),
    least_share: z
      .number()
      .positive()
      .max(1)
      .describe(
        "A number rests when its share of answers is below this part of the share of the group's other numbers. 0.5: half of it.",
      ),
    least_attempts: z
      .int()
      .min(5)
      .max(100_000)
      .describe("A number with fewer attempts in the window does not rest."),
    rest_hours: z.int().min(1).max(HOURS).describe("How long it rests."),
  })
  .meta({ id: "NumberHealthRule" });

const NumberGroupCreateRequest = z
  .strictObject({
    name: name(),
    mode: z
      .enum(["voice", "sms"])
      .default("voice")
      .describe("What its numbers are used for: calls or texts."),
    timezone: z
      .string()
      .refine((zone) => canonicalTimezone(zone) !== null, {
        error: "Input should be a time zone such as America/Chicago",
      })
      .transform((zone) => canonicalTimezone(zone) as string)
      .default("UTC")
      .describe("On whose clock the day of the daily cap begins."),
    channel_target_ids: z
      .array(recordId())
      .max(MOST_NUMBERS)
      .describe("Its numbers: channel targets of its mode, each in one group at most."),
    daily_cap: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .default(null)
      .describe("The most attempts from each number on a day; null: no cap."),
    local_presence: z
      .boolean()
      .default(true)
      .describe("Each attempt shows the number that is nearest to the person's; else the one least used."),
    health: NumberHealthRule.nullable().default(null).describe("When a number rests; null: none does."),
  })
  .meta({ id: "NumberGroupCreateRequest" });
const NumberGroupUpdateRequest = NumberGroupCreateRequest.extend({ id: recordId() }).meta({
  id: "NumberGroupUpdateRequest",
});
type NumberGroupInput = z.output<typeof NumberGroupCreateRequest>;

const NumberGroup = z
  .object({
    id: z.int(),
    name: z.string(),
    mode: z.enum(["voice", "sms"]),
    timezone: z.string(),
    channel_target_ids: z.array(z.int()),
    daily_cap: z.int().nullable(),
    local_presence: z.boolean(),
    health: NumberHealthRule.nullable(),
    numbers: z.int().describe("How many numbers it has."),
    resting: z.int().describe("How many of them rest now."),
    campaigns: z.array(z.string()).describe("The campaigns that send from it."),
    updated_at: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "NumberGroup" });
export type NumberGroup = z.output<typeof NumberGroup>;

const groupList: list.ListRules = {
  fields: {
    id: list.integer("g.id"),
    name: list.text("g.name"),
    mode: list.exact("g.mode"),
    numbers: list.integer("g.numbers"),
    resting: list.integer("g.resting"),
    updated_at: list.time("g.updated_at"),
    last_updated_by: list.text("g.last_updated_by"),
  },
  time: "g.updated_at",
  order: [{ column: "g.id", direction: "asc" }],
};

type Deps = {
  db: Db;
  clock: Clock;
  /** Of the room to the right, whose records name groups. */
  campaigns: {
    /** An expression over the group `g`: the names of its campaigns. */
    names: RawBuilder<string[]>;
    of(tx: Tx, group_id: number): Promise<string[]>;
  };
  /** Has the dialer look at the batches of its campaigns, in the transaction of the change. */
  wakeNumberGroup(tx: Tx, group_id: number, at: Date): Promise<void>;
};

export const NUMBER_GROUPS = "/api/v1/outbound/number-groups";

/** Groups of numbers that campaigns send from. */
export function numberGroupRoutes(api: Api, { db, clock, campaigns, wakeNumberGroup }: Deps): void {
  const select = (from: Db, { sub_organization_id }: Caller) =>
    from
      .selectFrom(
        sql<NumberGroup>`(
          select g.id, g.name, g.mode, g.timezone, g.daily_cap, g.local_presence, g.health, g.updated_at, g.last_updated_by,
            (select coalesce(json_agg(m.channel_target_id order by m.channel_target_id), '[]') from number_group_numbers m
              where m.group_id = g.id) as channel_target_ids,
            (select count(*) from number_group_numbers m where m.group_id = g.id) as numbers,
            (select count(*) from number_group_numbers m
              where m.group_id = g.id and m.resting_until > ${clock.now().toISOString()}::timestamptz) as resting,
            ${campaigns.names} as campaigns
          from number_groups g
          where g.sub_organization_id = ${sub_organization_id} and g.deleted_at is null
        )`.as<"g">("g"),
      )
      .selectAll("g");

  const columns = (caller: Caller, input: NumberGroupInput) => ({
    name: input.name,
    mode: input.mode,
    timezone: input.timezone,
    daily_cap: input.daily_cap,
    local_presence: input.local_presence,
    health: jsonOrNull(input.health),
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  addResource(api, db, {
    path: NUMBER_GROUPS,
    noun: "Number group",
    id_name: "number_group_id",
    tag: "number-groups",
    permission: "outbound",
    record: NumberGroup,
    create: NumberGroupCreateRequest,
    update: NumberGroupUpdateRequest,
    list: groupList,
    store: {
      page: (caller, query) => list.listPage(db, select(db, caller), query, groupList),
      find: (from, caller, id) => select(from, caller).where("g.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        const { id } = await tx
          .insertInto("number_groups")
          .values({ ...columns(caller, input), sub_organization_id: caller.sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        await replaceNumbers(tx, caller, { ...input, id });
        return id;
      },
      async replace(tx, caller, input) {
        await tx
          .updateTable("number_groups")
          .set(columns(caller, input))
          .where("id", "=", input.id)
          .execute();
        await replaceNumbers(tx, caller, input);
        await wakeNumberGroup(tx, input.id, clock.now());
      },
      async remove(tx, _caller, id, { reason }, before) {
        await sql`select id from number_groups where id = ${id} for update`.execute(tx);
        const holders = await campaigns.of(tx, id);
        refuseWhileHeld(
          `number group "${before.name}"`,
          holders.map((holder) => ({ kind: "campaign", name: holder })),
        );
        await sql`delete from number_group_numbers where group_id = ${id}`.execute(tx);
        await tx
          .updateTable("number_groups")
          .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
          .where("id", "=", id)
          .execute();
      },
    },
  });
}
