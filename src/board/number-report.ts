import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { integer, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { IS_ANSWERED, IS_OVER } from "../dialing/numbers/rest-numbers.ts";
import { NUMBER_GROUPS } from "../number-groups/number-group.ts";
import { AnswerRate, rated } from "./answer-times.ts";

const NumberFigures = AnswerRate.extend({
  channel_target_id: z.int(),
  number: z.string(),
  channel_id: z.int(),
  channel_name: z.string(),
  uses: z
    .int()
    .describe("Attempts of the day that runs on the group's clock, as far as they count for the cap."),
  resting_until: timestamp().nullable().describe("Null: it does not rest."),
  rest_reason: z.string().nullable(),
  paused_until: timestamp()
    .nullable()
    .describe("Until then too much failed from it, or its carrier refuses it."),
}).meta({ id: "NumberFigures" });

const NumberGroupReport = z
  .object({
    number_group_id: z.int(),
    from: timestamp(),
    until: timestamp(),
    day: z.string().describe("The day that runs on the group's clock."),
    daily_cap: z.int().nullable(),
    total: AnswerRate.meta({ id: "NumberGroupTotal" }),
    numbers: z.array(NumberFigures),
  })
  .meta({ id: "NumberGroupReport" });

const DAY_MS = 86_400_000;

/** How the numbers of a group do: how often each was used and answered, and which rest. */
export function numberReportRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  api.get(
    `${NUMBER_GROUPS}/:number_group_id/report`,
    {
      summary: "Get how the numbers of a group do",
      description:
        "Attempts that are over, by number. A call counts as answered when a person picked up, a text when it was delivered.",
      tag: "number-groups",
      permission: "outbound_read",
      params: z.object({ number_group_id: recordId() }),
      query: z.object({ days: integer({ min: 1, max: 90 }).default(7).describe("So far back, from now.") }),
      response: NumberGroupReport,
    },
    async ({ caller, params, query }) => {
      const now = clock.now();
      const from = new Date(now.getTime() - query.days * DAY_MS);
      const group = await findGroup(db, caller, params.number_group_id, now);
      const numbers = await readNumbers(db, { ...group, id: params.number_group_id }, from, now);
      const sum = (of: (row: NumberRow) => number) => numbers.reduce((total, row) => total + of(row), 0);
      return {
        number_group_id: params.number_group_id,
        from: from.toISOString(),
        until: now.toISOString(),
        day: group.day,
        daily_cap: group.daily_cap,
        total: rated({ tried: sum(({ tried }) => tried), answered: sum(({ answered }) => answered) }),
        numbers: numbers.map((row) => ({ ...row, ...rated(row) })),
      };
    },
  );
}

type ReportedGroup = { mode: string; day: string; daily_cap: number | null; organization_id: number };

async function findGroup(db: Db, caller: Caller, id: number, now: Date): Promise<ReportedGroup> {
  const { rows } = await sql<ReportedGroup>`
    select mode, daily_cap, (${now.toISOString()}::timestamptz at time zone timezone)::date::text as day,
      ${caller.organization_id}::bigint as organization_id
    from number_groups
    where id = ${id} and sub_organization_id = ${caller.sub_organization_id} and deleted_at is null`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw notFound("Number group", id);
  return found;
}

type NumberRow = Omit<z.output<typeof NumberFigures>, "rate" | "low" | "high">;

/** Indexes: `number_group_numbers_group`, `attempts_number_group`. */
async function readNumbers(
  db: Db,
  group: ReportedGroup & { id: number },
  from: Date,
  now: Date,
): Promise<NumberRow[]> {
  const at = now.toISOString();
  const { rows } = await sql<NumberRow>`
    select m.channel_target_id, t.target as number, t.channel_id, c.name as channel_name, coalesce(u.uses, 0) as uses,
      case when m.resting_until > ${at}::timestamptz then m.resting_until end as resting_until,
      case when m.resting_until > ${at}::timestamptz then m.rest_reason end as rest_reason,
      case when s.closed_until > ${at}::timestamptz then s.closed_until end as paused_until,
      coalesce(f.tried, 0) as tried, coalesce(f.answered, 0) as answered
    from number_group_numbers m
    join channel_targets t on t.id = m.channel_target_id
    join channels c on c.id = t.channel_id
    left join number_uses u on u.organization_id = ${group.organization_id} and u.mode = ${group.mode}
      and u.number = t.target and u.day = ${group.day}::date
    left join dial_sources s on s.organization_id = ${group.organization_id} and s.source = t.target
    left join (
      select a.channel_target_id, count(*) as tried, count(*) filter (where ${IS_ANSWERED}) as answered
      from attempts a
      where a.number_group_id = ${group.id} and a.started_at >= ${from.toISOString()}::timestamptz and ${IS_OVER}
      group by 1
    ) f on f.channel_target_id = m.channel_target_id
    where m.group_id = ${group.id}
    order by t.target, t.id`.execute(db);
  return rows;
}
