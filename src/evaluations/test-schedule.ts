import { z } from "zod";
import { timezone } from "../agents/agent-input.ts";
import { type Caller, requirePermission } from "../api/caller.ts";
import { integer, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { invalid, notFound } from "../base/errors.ts";
import { secretProblem } from "../base/webhook-secret.ts";
import type { Db } from "../db/database.ts";
import { nextRunAfter, RUN_DAYS, type RunDay } from "./next-run.ts";
import { holdSuite } from "./suite-store.ts";
import { SUITES, suiteParams } from "./test-suite.ts";

const TestScheduleRequest = z
  .strictObject({
    is_active: z.boolean(),
    time: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Input should be a time of day, HH:MM")
      .default("02:00"),
    timezone: timezone.default("UTC"),
    days: z
      .array(z.enum(RUN_DAYS))
      .max(RUN_DAYS.length)
      .default([...RUN_DAYS]),
    against: z
      .enum(["draft", "live"])
      .default("draft")
      .describe("What was saved last, or what people reach."),
    repetitions: integer({ min: 1, max: 100 }).default(1),
    seed: integer({ min: 0, max: 2_147_483_647 }).default(1),
    cost_cap_usd: z.number().min(0).nullish(),
    webhook: z
      .strictObject({
        url: z
          .string()
          .max(2_048)
          .refine(
            (url) => /^https:\/\//i.test(url) && URL.canParse(url),
            "Input should be a URL that starts with https://",
          ),
        auth_values: z
          .strictObject({ hmac_secret: z.string().nullable().optional() })
          .nullish()
          .describe(
            "Write-only: a Base64 key of 32 to 512 bytes. On update null keeps the stored one, an omitted key removes it.",
          ),
      })
      .nullish()
      .describe("Is sent a message when a run of the suite is finished, whoever began it."),
  })
  .meta({ id: "TestScheduleRequest" });
type TestScheduleRequest = z.infer<typeof TestScheduleRequest>;

const TestSchedule = z
  .object({
    suite_id: z.int(),
    is_active: z.boolean(),
    time: z.string(),
    timezone: z.string(),
    days: z.array(z.enum(RUN_DAYS)),
    against: z.enum(["draft", "live"]),
    repetitions: z.int(),
    seed: z.int(),
    cost_cap_usd: z.number().nullable(),
    webhook: z.object({ url: z.string(), auth_value_keys: z.array(z.string()).nullable() }).nullable(),
    next_at: timestamp().nullable().describe("null: it is off."),
    note: z.string().nullable().describe("What became of the last time, where it was not run."),
    noted_at: timestamp().nullable(),
  })
  .meta({ id: "TestSchedule" });
type TestSchedule = z.infer<typeof TestSchedule>;

const PATH = `${SUITES}/:suite_id/schedule`;
const tag = "tests";

/** When a suite runs by itself, and who is told. */
export function scheduleRoutes(api: Api, { db, clock, vault }: { db: Db; clock: Clock; vault: Vault }): void {
  api.get(
    PATH,
    {
      summary: "Get the schedule of a test suite",
      tag,
      permission: "tests_read",
      params: suiteParams,
      response: TestSchedule,
    },
    async ({ caller, params }) => (await findSchedule(db, caller, params.suite_id)).shown,
  );

  api.put(
    PATH,
    {
      summary: "Set the schedule of a test suite",
      description: "Whose runs nobody watches has to be allowed to run tests as well.",
      tag,
      permission: "tests_write",
      also_permission: "tests_run",
      params: suiteParams,
      body: TestScheduleRequest,
      response: TestSchedule,
    },
    async ({ caller, params: { suite_id }, body }) => {
      requirePermission(caller, "tests_run");
      if (body.is_active && body.days.length === 0)
        throw invalid(["body", "days"], "Choose at least one day, or switch the schedule off");
      return db.transaction().execute(async (tx) => {
        await holdSuite(tx, caller, suite_id);
        const { shown: before, sealed } = await findSchedule(tx, caller, suite_id);
        const now = clock.now();
        const { webhook, time, is_active, days, ...rest } = body;
        const values = {
          ...rest,
          is_active,
          days,
          time_of_day: time,
          cost_cap_usd: body.cost_cap_usd ?? null,
          webhook_url: webhook?.url ?? null,
          sealed_hmac_secret: webhook ? secretOf(vault, webhook, before.webhook?.url ?? null, sealed) : null,
          next_at: is_active ? (nextRunAfter(body, now)?.toISOString() ?? null) : null,
          note: null,
          noted_at: null,
          last_updated: now.toISOString(),
          last_updated_by: caller.email,
        };
        await tx
          .insertInto("test_schedules")
          .values({ suite_id, sub_organization_id: caller.sub_organization_id, ...values })
          .onConflict((conflict) => conflict.column("suite_id").doUpdateSet(values))
          .execute();
        const { shown: after } = await findSchedule(tx, caller, suite_id);
        await api.audit(tx, caller, {
          action: "schedule",
          resource: tag,
          resource_id: suite_id,
          before,
          after,
        });
        return after;
      });
    },
  );
}

type RunWebhook = NonNullable<TestScheduleRequest["webhook"]>;

/** A secret goes to the address it was given for; for another one it is given again. */
function secretOf(vault: Vault, webhook: RunWebhook, stored_url: string | null, sealed: string | null) {
  const place = ["body", "webhook", "auth_values", "hmac_secret"];
  const given = webhook.auth_values === null ? undefined : webhook.auth_values;
  if (given !== undefined && given.hmac_secret === undefined) return null;
  const secret = given?.hmac_secret ?? null;
  if (secret !== null) {
    const problem = secretProblem(secret);
    if (problem) throw invalid(place, problem);
    return vault.seal(secret);
  }
  if (sealed !== null && stored_url !== webhook.url)
    throw invalid(place, "The url has changed: give the hmac_secret again");
  return sealed;
}

const OFF = {
  is_active: false,
  time: "02:00",
  timezone: "UTC",
  days: [...RUN_DAYS],
  against: "draft" as const,
  repetitions: 1,
  seed: 1,
  cost_cap_usd: null,
  webhook: null,
  next_at: null,
  note: null,
  noted_at: null,
};

async function findSchedule(
  db: Db,
  caller: Caller,
  suite_id: number,
): Promise<{ shown: TestSchedule; sealed: string | null }> {
  const row = await db
    .selectFrom("test_suites as s")
    .leftJoin("test_schedules as t", "t.suite_id", "s.id")
    .where("s.id", "=", suite_id)
    .where("s.sub_organization_id", "=", caller.sub_organization_id)
    .where("s.deleted_at", "is", null)
    .select([
      "t.suite_id",
      "t.is_active",
      "t.time_of_day",
      "t.timezone",
      "t.days",
      "t.against",
      "t.repetitions",
      "t.seed",
      "t.cost_cap_usd",
      "t.webhook_url",
      "t.sealed_hmac_secret",
      "t.next_at",
      "t.note",
      "t.noted_at",
    ])
    .executeTakeFirst();
  if (!row) throw notFound("Test suite", suite_id);
  const { webhook_url, sealed_hmac_secret: sealed, time_of_day, days, ...rest } = row;
  if (row.suite_id === null) return { shown: { suite_id, ...OFF }, sealed: null };
  const webhook =
    webhook_url === null
      ? null
      : { url: webhook_url, auth_value_keys: sealed === null ? null : ["hmac_secret"] };
  const shown = { ...rest, suite_id, time: time_of_day, days: days as RunDay[], webhook } as TestSchedule;
  return { shown, sealed };
}
