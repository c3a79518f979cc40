import { z } from "zod";
import { isOfOpenOrganization } from "../accounts/organization-deletion.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, InvalidInput } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import { nextRunAfter, type RunDay } from "./next-run.ts";
import { testEvent } from "./run-done.ts";
import { beginRun } from "./run-store.ts";
import type { SessionJudges } from "./session-judges.ts";

/*
 * Every minute the schedules that are due are looked at. A process holds a schedule's row while it begins the run and writes
 * down the next time, and commits both together: another one skips the row, and finds it no longer due.
 */

const beginScheduledRuns: Job<object> = {
  name: "begin-scheduled-runs",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** Who was down at the time still begins the run so much later; after that the night was missed, which is told. */
const LATEST_MS = 2 * 3_600_000;

type Parts = { db: Db; clock: Clock; vault: Vault; judges: SessionJudges };

export const scheduleJob = (parts: Parts): JobHandler =>
  handle(beginScheduledRuns, async () => {
    const due = await parts.db
      .selectFrom("test_schedules")
      .select("suite_id")
      .where("next_at", "<=", parts.clock.now().toISOString())
      .where(isOfOpenOrganization("test_schedules.sub_organization_id"))
      .orderBy("next_at")
      .execute();
    await oneByOne(due, ({ suite_id }) => beginOne(parts, suite_id));
  });

async function beginOne({ db, clock, vault, judges }: Parts, suite_id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const now = clock.now();
    const due = await holdDue(tx, suite_id, now);
    if (!due) return;
    const note =
      due.deleted_at === null
        ? await tryRun(tx, due, { clock, vault, judges, now })
        : "The suite was deleted.";
    const times = { time: due.time_of_day, timezone: due.timezone, days: due.days as RunDay[] };
    const next_at = due.deleted_at === null ? (nextRunAfter(times, now)?.toISOString() ?? null) : null;
    await tx
      .updateTable("test_schedules")
      .set({ next_at, note, noted_at: note === null ? null : now.toISOString() })
      .where("suite_id", "=", suite_id)
      .execute();
    if (note === null) return;
    const description = `${due.name} was not run at its time: ${note}`;
    await publish(tx, due.sub_organization_id, [
      testEvent(now, "test_run_missed", description, {
        suite_id,
        suite: due.name,
        due_at: due.next_at,
        note,
      }),
    ]);
  });
}

type Due = NonNullable<Awaited<ReturnType<typeof holdDue>>>;

const holdDue = (tx: Tx, suite_id: number, now: Date) =>
  tx
    .selectFrom("test_schedules as t")
    .innerJoin("test_suites as s", "s.id", "t.suite_id")
    .innerJoin("agents as a", "a.id", "s.agent_id")
    .where("t.suite_id", "=", suite_id)
    .where("t.next_at", "<=", now.toISOString())
    .selectAll("t")
    .select(["s.name", "s.deleted_at", "a.published_version"])
    // Who changes the suite or its schedule holds the suite first: it is not waited for, but looked at in a minute.
    .forUpdate(["t", "s"])
    .skipLocked()
    .executeTakeFirst();

/** null: the run has begun; else why not. */
async function tryRun(
  tx: Tx,
  due: Due,
  { clock, vault, judges, now }: { clock: Clock; vault: Vault; judges: SessionJudges; now: Date },
): Promise<string | null> {
  const { suite_id, sub_organization_id, last_updated_by: email, against, published_version } = due;
  if (now.getTime() - Date.parse(due.next_at as string) > LATEST_MS)
    return "The program was not running then.";
  const running = await tx
    .selectFrom("test_runs")
    .select("id")
    .where("suite_id", "=", suite_id)
    .where("is_scheduled", "=", true)
    .where("status", "=", "running")
    .executeTakeFirst();
  if (running) return `Run ${running.id} of the time before has not finished.`;
  const version = against === "live" ? published_version : null;
  const { repetitions, seed, cost_cap_usd } = due;
  try {
    // Refusals come before anything is written.
    await beginRun(tx, { clock, vault, judges, caller: { sub_organization_id, email } }, suite_id, {
      version,
      repetitions,
      seed,
      cost_cap_usd,
      is_scheduled: true,
    });
    return null;
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof Fault) return messageOf(error);
    throw error;
  }
}

const messageOf = (error: InvalidInput | Fault): string =>
  error instanceof InvalidInput ? error.issues.map(({ msg }) => msg).join(" ") : error.message;
