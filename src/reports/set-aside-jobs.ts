import { sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";

const SetAsideJob = z
  .object({
    job_id: z.string(),
    name: z.string().describe("What it does"),
    sub_organization_id: z.int().nullable().describe("For whom"),
    interruptions: z.int().describe("How often its process died while it ran"),
    set_aside_at: timestamp(),
  })
  .meta({ id: "SetAsideJob" });

const path = z.object({ job_id: z.string().regex(/^\d{1,18}$/) });

/** Jobs that nobody runs again by themselves, since processes died on them (jobs/interrupted.ts). */
export function setAsideRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/queues/set_aside",
    {
      summary: "List jobs that were set aside",
      description:
        "A message or tool call whose process died twice while it ran is not run again by itself, nor is anything later " +
        "in its conversation. Of the whole installation, for its operators; newest first.",
      tag: "queues",
      permission: "platform_admin",
      response: z.array(SetAsideJob),
    },
    async () => {
      const { rows } = await sql<z.infer<typeof SetAsideJob>>`
        select job_id::text, name, sub_organization_id, interruptions, set_aside_at from interrupted_jobs
        where set_aside_at is not null order by set_aside_at desc limit 1000`.execute(db);
      return rows;
    },
  );

  api.post(
    "/api/v1/queues/set_aside/:job_id/retry",
    {
      summary: "Retry a job that was set aside",
      description:
        "It runs at once, with what came in its conversation since. Interrupted twice again, it is set aside again.",
      tag: "queues",
      permission: "platform_admin",
      params: path,
      response: SetAsideJob,
      refusals: [404],
    },
    ({ params, caller }) =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<z.infer<typeof SetAsideJob>>`
          delete from interrupted_jobs where job_id = ${params.job_id}::bigint and set_aside_at is not null
          returning job_id::text, name, sub_organization_id, interruptions, set_aside_at`.execute(tx);
        const job = rows[0];
        if (!job) throw notFound("Job", params.job_id);
        await sql`update graphile_worker._private_jobs set attempts = 0, run_at = now(), last_error = null
          where id = ${params.job_id}::bigint and locked_at is null`.execute(tx);
        await api.audit(tx, caller, {
          action: "retry",
          resource: "queues",
          resource_id: job.job_id,
          before: job,
        });
        return job;
      }),
  );
}

const tell: Job<object> = {
  name: "tell-set-aside",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** Tells each organization, once, that a conversation of its own stands still. */
export const tellSetAsideJob = ({ db, clock }: { db: Db; clock: Clock }): JobHandler =>
  handle(tell, () =>
    db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ job_id: string; name: string; sub_organization_id: number }>`
        update interrupted_jobs set told_at = now()
        where set_aside_at is not null and told_at is null and sub_organization_id is not null
        returning job_id::text, name, sub_organization_id`.execute(tx);
      for (const { job_id, name, sub_organization_id } of rows) {
        await publish(tx, sub_organization_id, [
          {
            at: clock.now(),
            source: "job",
            source_id: Number(job_id),
            category: "platform",
            type: "job_set_aside",
            description: `A message or call is not processed any further (${name}): the program stopped twice while it ran. An operator can retry it.`,
            attributes: { job_id, name },
          },
        ]);
      }
    }),
  );
