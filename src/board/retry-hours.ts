import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { integer, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { findCampaign, lockCampaign } from "../campaigns/campaign-store.ts";
import type { Db, Tx } from "../db/database.ts";
import { betterHours, type HourAnswers } from "../planning/retries/better-hours.ts";
import { learnHours } from "./learn-hours.ts";

const MOST_HOURS = 72;

const RetryHours = z
  .strictObject({
    within_hours: integer({ min: 1, max: MOST_HOURS })
      .nullable()
      .describe(
        "A retry may start so many hours later than it would otherwise, to start in an hour in which more people answer; null: retries keep their time.",
      ),
  })
  .meta({ id: "CampaignRetryHours" });
type RetryHours = z.output<typeof RetryHours>;

const share = () => z.number().min(0).max(1);

const RetryHoursState = RetryHours.extend({
  learned_at: timestamp()
    .nullable()
    .describe("When calls and answers were last counted, which is done each hour; null: not yet."),
  better_hours: z
    .array(
      z
        .object({
          hour: z.int().describe("0 to 23, on each person's own clock."),
          low: share().describe("Lower end of its interval: 95 % for all 24 hours together."),
          high: share(),
          others_low: share().describe("The same of all other hours together."),
          others_high: share(),
        })
        .meta({ id: "BetterHour" }),
    )
    .describe("Hours whose interval lies above that of the others. Without any, retries keep their time."),
}).meta({ id: "CampaignRetryHoursState" });
type RetryHoursState = z.output<typeof RetryHoursState>;

const ONE = "/api/v1/outbound/campaigns/:campaign_id/retry-hours";

/** Whether retries prefer hours in which people answer; beside the record of the specification, as retry rules are. */
export function retryHoursRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get whether a campaign's retries prefer hours in which people answer",
      tag,
      permission: "outbound_read",
      params,
      response: RetryHoursState,
    },
    async ({ caller, params }) => readState(db, (await findCampaign(db, caller, params.campaign_id)).id),
  );

  api.put(
    ONE,
    {
      summary: "Set whether a campaign's retries prefer hours in which people answer",
      description:
        "Calls and answers of the last 60 days are counted at once and then each hour. A retry of a call moves to the first hour that is better than the others by more than chance explains, within the campaign's window and the person's own hours. It never moves past the request's not_after or the batch's expires_on. Retries after an outcome whose rule says `another_hour` keep that rule. Retries that are planned already keep their time.",
      tag,
      permission: "outbound_write",
      params,
      body: RetryHours,
      response: RetryHoursState,
    },
    async ({ caller, params, body }) => {
      const id = await write(db, "Campaign", (tx) => replace(tx, caller, params.campaign_id, body));
      // If the process dies before this, the next hour's job does it.
      if (body.within_hours !== null) await learnHours(db, id, clock.now());
      return readState(db, id);
    },
  );

  async function replace(
    tx: Tx,
    caller: Caller,
    campaign_id: number,
    { within_hours }: RetryHours,
  ): Promise<number> {
    const { id } = await lockCampaign(tx, caller, campaign_id);
    const before = await readState(tx, id);
    await sql`
      update campaigns set better_hours_within = ${within_hours}::smallint,
        answer_hours = case when ${within_hours}::smallint is not null then answer_hours end
      where id = ${id}`.execute(tx);
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-retry-hours",
      resource_id: id,
      before: { within_hours: before.within_hours },
      after: { within_hours },
    });
    return id;
  }
}

async function readState(db: Db, campaign_id: number): Promise<RetryHoursState> {
  const { rows } = await sql<{
    within_hours: number | null;
    learned: { at: string; hours: HourAnswers[] } | null;
  }>`
    select better_hours_within as within_hours, answer_hours as learned from campaigns
    where id = ${campaign_id}`.execute(db);
  const { within_hours = null, learned = null } = rows[0] ?? {};
  return {
    within_hours,
    learned_at: learned?.at ?? null,
    better_hours: betterHours(learned?.hours ?? []),
  };
}
