import { sql } from "kysely";
import { z } from "zod";
import { inputTimestamp, integer, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import { Fault, invalid } from "../base/errors.ts";
import { readCadence } from "../campaigns/cadence-routes.ts";
import type { OutboundCampaign } from "../campaigns/campaign-schema.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import { readOutreachRules } from "../campaigns/outreach-rules.ts";
import { readRetryRules } from "../campaigns/retry-rules.ts";
import type { Db } from "../db/database.ts";
import { WAITS_FOR_RETRY, waitsForStep } from "../dialing/candidates.ts";
import type { Mode } from "../planning/attempt.ts";
import { MOST_STEPS } from "../planning/cadences/cadence.ts";
import { type ForecastBatch, type ForecastInput, forecast } from "../planning/forecast.ts";
import type { PersonLimit } from "../planning/per-person.ts";
import type { OutcomeRules } from "../planning/retries/outcome-rules.ts";
import type { Schedule } from "../planning/schedule.ts";
import { assumptions } from "./forecast-assumptions.ts";
import { readForecastLimits } from "./forecast-limits.ts";
import { judgeNumbers, NOBODY_JUDGED, skippedOf } from "./judge-numbers.ts";
import { OwnHoursSchema, readOwnHours } from "./own-hours.ts";

const MAX_DAYS = 92;
const DEFAULT_DAYS = 31;
/** Retries of a batch that wait already and are counted one by one. */
const MAX_RETRIES = 50_000;
const STEPS = Array.from({ length: MOST_STEPS }, (_, step) => step + 1);
/** At once in this process: each is some seconds of its one processor at most. */
const MAX_AT_ONCE = 2;

const share = () => z.number().min(0).max(1);

const ForecastQuestion = z
  .object({
    answer_rate: share().describe("Share of attempts that reach their person."),
    from: inputTimestamp().nullish().describe("When it starts; now when left out."),
    days: integer({ min: 1, max: MAX_DAYS }).default(DEFAULT_DAYS).meta({ default: DEFAULT_DAYS }),
    requests: integer({ min: 1, max: 1_000_000 })
      .nullish()
      .describe(
        "As if one new batch held so many people; left out: those who wait in the campaign's batches.",
      ),
    call_rate: integer({ min: 1, max: 3600 })
      .nullish()
      .describe("Of that new batch; null: the campaign's hourly_rate."),
    expires_on: inputTimestamp().nullish().describe("Of that new batch."),
    auto_call_rate: z
      .boolean()
      .default(false)
      .meta({ default: false })
      .describe("Of that new batch; needs expires_on."),
    skip_rate: share()
      .nullish()
      .describe(
        "Share of people who are skipped; left out: what it was in this campaign so far, or what the operator's settings say of the numbers that wait, whichever is more.",
      ),
  })
  .meta({ id: "ForecastQuestion" });
type Question = z.output<typeof ForecastQuestion>;

const counts = {
  first_attempts: z.int(),
  retries: z.int(),
  steps: z.int().describe("Of the campaign's cadence, after its own step."),
  completed: z.int(),
  given_up: z.int(),
  skipped: z.int(),
};

const CampaignForecast = z
  .object({
    campaign_id: z.int(),
    timezone: z.string().describe("Of the campaign's agent; days are days of its calendar."),
    from: timestamp(),
    until: timestamp(),
    people: z.int(),
    hourly_rate: z.int().describe("Of each batch that has no rate of its own."),
    total_rate: z
      .number()
      .describe("Attempts per hour of all these batches together, where their rate is known."),
    totals: z.object(counts),
    days: z.array(z.object({ date: z.string(), cap: z.int().nullable(), ...counts })),
    hours: z.array(z.object({ at: timestamp(), ...counts })).describe("Hours with an attempt."),
    ends_at: timestamp()
      .nullable()
      .describe("When the last person was reached or given up; null: not within the forecast."),
    left: z.int().describe("People who still wait at the end."),
    own_hours: OwnHoursSchema.nullable().describe(
      "Who is outside their own contact hours at `from`; null: `person_clock` is off, or `requests` was given.",
    ),
    assumptions: z.array(z.string()),
  })
  .meta({ id: "CampaignForecast" });

type ForecastDeps = {
  db: Db;
  clock: Clock;
  destinations: DestinationRules;
  per_person: PersonLimit | null;
};

/** What a campaign would do, before anybody is called. */
export function campaignForecastRoutes(api: Api, deps: ForecastDeps): void {
  const { db, clock } = deps;
  let running = 0;
  api.post(
    "/api/v1/outbound/campaigns/:campaign_id/forecast",
    {
      summary: "Forecast a campaign by hour and day",
      description:
        "Runs the dialer's own decisions on schedule, caps, rates and retries forward on a clock of its own. Nobody is called, nothing is stored.",
      tag: "outbound",
      permission: "outbound_read",
      reads: true,
      params: z.object({ campaign_id: recordId() }),
      body: ForecastQuestion,
      response: CampaignForecast,
    },
    async ({ caller, params, body }) => {
      const campaign = await findCampaign(db, caller, params.campaign_id);
      if (body.auto_call_rate && body.expires_on == null)
        throw invalid(["body", "expires_on"], "auto_call_rate needs expires_on", "missing");
      if (running >= MAX_AT_ONCE)
        throw new Fault("too-many", "Other forecasts are being worked out.", { retry_after_s: 3 });
      running++;
      try {
        const from = body.from == null ? clock.now() : new Date(body.from);
        const until = new Date(from.getTime() + body.days * 86_400_000);
        const zone = await zoneOf(db, campaign.agent_id ?? null);
        const numbers =
          body.requests == null
            ? await judgeNumbers(deps, {
                id: campaign.id,
                mode: (campaign.mode ?? "voice") as Mode,
                sub_organization_id: caller.sub_organization_id,
              })
            : NOBODY_JUDGED;
        const skip_rate =
          body.skip_rate ??
          Math.max(await skipRate(db, campaign.id), skippedOf(numbers) / Math.max(numbers.judged, 1));
        const batches =
          body.requests == null ? await waitingBatches(db, campaign.id) : [newBatch(body, body.requests)];
        const cadence = await readCadence(db, campaign.id);
        const limits = await readForecastLimits(db, campaign.id, clock.now());
        const input: ForecastInput = {
          campaign: {
            ...(campaign as unknown as Schedule),
            hourly_rate: campaign.hourly_rate,
            retry_count: campaign.retry_count,
            retry_interval: campaign.retry_interval ?? null,
            by_outcome: await outcomeRules(db, campaign, zone),
          },
          zone,
          mode: (campaign.mode ?? "voice") as Mode,
          cadence,
          from,
          until,
          batches,
          ...limits,
          answer_rate: body.answer_rate,
          skip_rate,
          reached_before: await reachedBefore(db, campaign.id),
        };
        const { stopped_at, ends_at, ...found } = await forecast(input);
        const rules = await readOutreachRules(db, caller.organization_id);
        const own_hours = body.requests == null ? await readOwnHours(db, campaign.id, rules, from) : null;
        const has_rules =
          rules.person_clock || rules.caps.length > 0 || rules.days_after_conversation !== null;
        return {
          campaign_id: campaign.id,
          timezone: zone,
          from: from.toISOString(),
          until: (stopped_at ?? until).toISOString(),
          hourly_rate: campaign.hourly_rate,
          total_rate: totalRate(campaign.hourly_rate, batches),
          people: batches.reduce((sum, { requests, retries }) => sum + requests + retries.length, 0),
          ...found,
          hours: found.hours.map(({ at, ...tally }) => ({ at: at.toISOString(), ...tally })),
          ends_at: ends_at?.toISOString() ?? null,
          own_hours,
          assumptions: assumptions({
            answer_rate: body.answer_rate,
            rates: ratesOf(campaign.hourly_rate, batches),
            ...numbers,
            skip_rate,
            stopped_at,
            per_person: deps.per_person,
            has_rules,
            steps: cadence.length,
            limits,
            moves_retries: await movesRetries(db, campaign.id),
          }),
        };
      } finally {
        running--;
      }
    },
  );
}

/** By themselves; a batch whose rate is worked out from what is left has none here. */
const ratesOf = (hourly_rate: number, batches: ForecastBatch[]): number[] =>
  batches.flatMap(({ auto_call_rate, call_rate }) => (auto_call_rate ? [] : [call_rate ?? hourly_rate]));

const totalRate = (hourly_rate: number, batches: ForecastBatch[]): number =>
  ratesOf(hourly_rate, batches).reduce((sum, rate) => sum + rate, 0);

const newBatch = (question: Question, requests: number): ForecastBatch => ({
  requests,
  retries: [],
  call_rate: question.call_rate ?? null,
  auto_call_rate: question.auto_call_rate,
  baseline: null,
  expires_on: question.expires_on == null ? null : new Date(question.expires_on),
});

async function outcomeRules(db: Db, campaign: OutboundCampaign, zone: string): Promise<OutcomeRules | null> {
  const rules = await readRetryRules(db, campaign.id);
  return rules === null ? null : { rules, hours: { schedule: campaign as unknown as Schedule, zone } };
}

async function movesRetries(db: Db, campaign_id: number): Promise<boolean> {
  const { rows } = await sql<{ moves: boolean }>`
    select better_hours_within is not null as moves from campaigns where id = ${campaign_id}`.execute(db);
  return rows[0]?.moves ?? false;
}

async function zoneOf(db: Db, agent_id: number | null): Promise<string> {
  if (agent_id === null) return "UTC";
  const agent = await db
    .selectFrom("agents")
    .select("timezone")
    .where("id", "=", agent_id)
    .executeTakeFirst();
  return agent?.timezone ?? "UTC";
}

/** Of those decided so far; counts are kept by triggers (request-counts.ts). */
async function skipRate(db: Db, campaign_id: number): Promise<number> {
  const { rows } = await sql<{ skipped: number; decided: number }>`
    select coalesce(sum(n) filter (where request_status = 'SKIPPED'), 0) as skipped,
      coalesce(sum(n) filter (where request_status not in ('PENDING', 'DUPLICATE', 'INVALID', 'CANCELED')), 0) as decided
    from request_counts where batch_key in (select key from batches where campaign_id = ${campaign_id})`.execute(
    db,
  );
  const [{ skipped, decided } = { skipped: 0, decided: 0 }] = rows;
  return decided === 0 ? 0 : skipped / decided;
}

type Waiting = Omit<ForecastBatch, "expires_on" | "retries"> & {
  expires_on: string | null;
  retries: { due_at: string; attempt_count: number; step: number }[] | null;
};

/** Batches in which somebody waits, that are dialled or may yet be; paused ones as if they were resumed. */
async function waitingBatches(db: Db, campaign_id: number): Promise<ForecastBatch[]> {
  const { rows } = await sql<Waiting>`
    select b.call_rate, b.auto_call_rate, b.auto_call_rate_baseline as baseline, b.expires_on,
      greatest(coalesce((select sum(n) from request_counts c
        where c.batch_key = b.key and c.request_status = 'PENDING'), 0) - coalesce(json_array_length(r.waiting), 0), 0)
        as requests,
      r.waiting as retries
    from batches b
    left join lateral (
      select json_agg(json_build_object('due_at', due_at, 'attempt_count', attempt_count, 'step', step)) as waiting
      from (
        (select r.due_at, r.attempt_count, r.step from requests r
          where r.batch_key = b.key and ${WAITS_FOR_RETRY}
          order by r.due_at, r.id limit ${MAX_RETRIES})
        union all
        (select r.due_at, r.attempt_count, r.step from unnest(${STEPS}::integer[]) w (n)
          cross join lateral (
            select * from requests r where r.batch_key = b.key and ${waitsForStep(sql`w.n`)}
            order by r.due_at, r.id limit ${MAX_RETRIES}
          ) r)
      ) as retry
    ) r on true
    where b.campaign_id = ${campaign_id} and b.status in ('ACTIVE', 'PAUSED')`.execute(db);
  return rows
    .map(({ expires_on, retries, ...batch }) => ({
      ...batch,
      expires_on: expires_on === null ? null : new Date(expires_on),
      retries: (retries ?? []).map(({ due_at, ...waiting }) => ({ due_at: new Date(due_at), ...waiting })),
    }))
    .filter(({ requests, retries }) => requests + retries.length > 0);
}

async function reachedBefore(db: Db, campaign_id: number): Promise<Record<string, number>> {
  const { rows } = await sql<{ day: string; n: number }>`
    select day::text, first_attempts as n from campaign_days
    where campaign_id = ${campaign_id} order by day desc limit 3`.execute(db);
  return Object.fromEntries(rows.map(({ day, n }) => [day, n]));
}
