import { sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";

const JobQueue = z
  .object({
    name: z.string().describe("What is done"),
    waiting: z.int().describe("Due now, and not begun"),
    later: z.int().describe("Due at a later time: planned, or before the next try"),
    running: z.int(),
    given_up: z
      .int()
      .describe(
        "Failed at every try. What is not done again at its next time is kept until somebody removes it",
      ),
  })
  .meta({ id: "JobQueue" });

const JobFailure = z
  .object({
    name: z.string(),
    reason: z.string().describe("What the last try said"),
    jobs: z.int().describe("How many failed with it"),
    given_up: z.int().describe("How many of these are not tried again"),
    failed_at: timestamp().describe("The latest of them"),
  })
  .meta({ id: "JobFailure" });

const JobQueues = z
  .object({
    queues: z.array(JobQueue).describe("Those with anything in them"),
    failures: z.array(JobFailure).describe("Jobs not done yet that failed within 24 hours, latest first"),
  })
  .meta({ id: "JobQueues" });

const MOST_FAILURES = 20;

/**
 * What the installation has still to do. Jobs know no tenant and their errors may quote anybody's record, so this is for
 * who operates the installation, and payloads are not shown.
 */
export function queueRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/queues/",
    {
      summary: "Get the queues of background jobs",
      description: "Of the whole installation, for its operators. What was done is not kept.",
      tag: "queues",
      permission: "platform_admin",
      response: JobQueues,
    },
    async () => {
      const [queues, failures] = await Promise.all([readQueues(db), readFailures(db)]);
      return { queues, failures };
    },
  );
}

/** The library plans by the database's clock, so what is due is told by it too. Reads unfinished jobs only. */
async function readQueues(db: Db): Promise<z.infer<typeof JobQueue>[]> {
  const { rows } = await sql<z.infer<typeof JobQueue>>`
    select task_identifier as name,
      count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now()) as waiting,
      count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now()) as later,
      count(*) filter (where locked_at is not null) as running,
      count(*) filter (where locked_at is null and attempts >= max_attempts) as given_up
    from graphile_worker.jobs group by 1 order by 1`.execute(db);
  return rows;
}

/** The library doesn't write when a job failed, but plans the next try so long after it, even where there is none. */
const FAILED_AT = sql`run_at - exp(least(attempts, 10)) * interval '1 second'`;

async function readFailures(db: Db): Promise<z.infer<typeof JobFailure>[]> {
  const { rows } = await sql<z.infer<typeof JobFailure>>`
    select task_identifier as name, left(last_error, 500) as reason, count(*) as jobs,
      count(*) filter (where attempts >= max_attempts) as given_up, max(${FAILED_AT}) as failed_at
    from graphile_worker.jobs
    where last_error is not null and locked_at is null and ${FAILED_AT} > now() - interval '24 hours'
    group by 1, 2 order by failed_at desc, 1, 2 limit ${MOST_FAILURES}`.execute(db);
  return rows;
}
