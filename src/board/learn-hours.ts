import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import type { HourAnswers } from "../planning/retries/better-hours.ts";
import { answerHours } from "./answer-hours.ts";
import { triedQuarters } from "./answer-times.ts";

const DAY_ms = 86_400_000;
const DAYS = 60;

const learnHoursEachHour: Job<object> = {
  name: "learn-answer-hours",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "17 * * * *",
};

export const learnHoursJob = (parts: { db: Db; clock: Clock }): JobHandler =>
  handle(learnHoursEachHour, async () => {
    const { rows } = await sql<{ id: number }>`
      select id from campaigns where better_hours_within is not null and deleted_at is null order by id`.execute(
      parts.db,
    );
    await oneByOne(rows, ({ id }) => learnHours(parts.db, id, parts.clock.now()));
  });

/** Counts a campaign's calls and answers by hour of the person's day, for its next retries. Nothing is locked meanwhile. */
export async function learnHours(db: Db, campaign_id: number, now: Date): Promise<void> {
  const found = answerHours(await triedQuarters(db, campaign_id, new Date(now.getTime() - DAYS * DAY_ms)));
  const hours = [...Map.groupBy(found, ({ hour }) => hour)]
    .map(([hour, days]) => ({
      hour,
      tried: days.reduce((sum, { tried }) => sum + tried, 0),
      answered: days.reduce((sum, { answered }) => sum + answered, 0),
    }))
    .toSorted((one, other) => one.hour - other.hour) satisfies HourAnswers[];
  const learned = JSON.stringify({ at: now.toISOString(), hours });
  await sql`
    update campaigns set answer_hours = ${learned}::json
    where id = ${campaign_id} and better_hours_within is not null`.execute(db);
}
