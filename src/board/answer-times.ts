import { sql } from "kysely";
import { z } from "zod";
import { integer, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import type { Db } from "../db/database.ts";
import { wilsonInterval } from "../evaluations/statistics.ts";
import { placeOf } from "../geography/person-zones.ts";
import { WEEKDAYS } from "../planning/weekday.ts";
import { answerHours, type TriedQuarter } from "./answer-hours.ts";

const share = () => z.number().min(0).max(1);

export const AnswerRate = z.object({
  tried: z.int(),
  answered: z.int().describe("Calls that a person answered."),
  rate: share().nullable(),
  low: share().nullable().describe("Lower end of the 95 % Wilson interval."),
  high: share().nullable(),
});

const AnswerTimes = z
  .object({
    campaign_id: z.int(),
    from: timestamp(),
    until: timestamp(),
    total: AnswerRate.meta({ id: "AnswerRate" }),
    hours: z
      .array(
        AnswerRate.extend({ day: z.enum(WEEKDAYS), hour: z.int().describe("0 to 23.") }).meta({
          id: "AnswerHour",
        }),
      )
      .describe("In the order of the week; hours without a call are left out."),
  })
  .meta({ id: "CampaignAnswerTimes" });

const DAY_MS = 86_400_000;

/** When people answer, learned from the campaign's own calls. What retries make of it: retry-hours.ts. */
export function answerTimesRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  api.get(
    "/api/v1/outbound/campaigns/:campaign_id/answer-times",
    {
      summary: "Get when people answer a campaign's calls",
      description:
        "By weekday and hour on each person's own clock, which follows from their number; a number that tells no zone counts on the clock of the campaign's agent. Voicemails don't count as answered. The dialer uses it where the campaign's retries prefer such hours (`retry-hours`).",
      tag: "outbound",
      permission: "outbound_read",
      params: z.object({ campaign_id: recordId() }),
      query: z.object({
        days: integer({ min: 1, max: 90 }).default(60).describe("So far back, from now."),
      }),
      response: AnswerTimes,
    },
    async ({ caller, params, query }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      const until = clock.now();
      const from = new Date(until.getTime() - query.days * DAY_MS);
      const hours = answerHours(await triedQuarters(db, id, from));
      const total = hours.reduce(
        (sum, { tried, answered }) => ({ tried: sum.tried + tried, answered: sum.answered + answered }),
        { tried: 0, answered: 0 },
      );
      return {
        campaign_id: id,
        from: from.toISOString(),
        until: until.toISOString(),
        total: rated(total),
        hours: hours.map((hour) => ({ ...hour, ...rated(hour) })),
      };
    },
  );
}

export function rated({ tried, answered }: { tried: number; answered: number }) {
  const interval = wilsonInterval(answered, tried);
  return {
    tried,
    answered,
    rate: tried === 0 ? null : answered / tried,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

/**
 * By quarters, because not every clock is whole hours ahead of UTC: India's is 5:30, Nepal's 5:45. Numbers that begin alike
 * have one clock: the area codes of North America, elsewhere the country. Index: `attempts_started`.
 */
export async function triedQuarters(db: Db, campaign_id: number, from: Date): Promise<TriedQuarter[]> {
  const { rows } = await sql<{
    at: string;
    target: string;
    timezone: string | null;
    tried: number;
    answered: number;
  }>`
    select date_bin('15 minutes', a.started_at, 'epoch') as at, min(a.target) as target, g.timezone, count(*) as tried,
      count(*) filter (where a.channel_status = 'COMPLETED' and a.answerer is distinct from 'MACHINE') as answered
    from batches b join attempts a on a.batch_key = b.key join agents g on g.id = a.agent_id
    where b.campaign_id = ${campaign_id} and a.mode = 'voice' and a.state = 'ENDED' and not a.is_test
      and a.started_at >= ${from.toISOString()}::timestamptz
    group by 1, left(a.target, 5), g.timezone`.execute(db);
  return rows.map(({ at, target, timezone, tried, answered }) => ({
    at: new Date(at),
    zone: placeOf({ timezone: null, target }, timezone ?? "UTC")?.zones[0] ?? "UTC",
    tried,
    answered,
  }));
}
