import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { TELL_SET_ASIDE } from "../jobs/interrupted.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import type { Engine } from "../sessions/engine.ts";
import { endSession } from "../turns/end-session.ts";
import { dropSetAside, giveUpWaitedFor, retrySetAside } from "./set-aside-actions.ts";
import { findSetAside, ownId, SetAsideWork } from "./set-aside-work.ts";

const path = z.object({
  job_id: z
    .string()
    .regex(/^(insight-execution-|web-chat-)?\d{1,15}$/)
    .describe("As the list names it"),
});
const tag = "queues";
const permission = "platform_admin";

/** Work that nobody does again by itself, since processes died on it. */
export function setAsideRoutes(api: Api, engine: Engine): void {
  const { db, clock } = engine;

  /** In the sub-organization that the work is of: an operator acts on everybody's. */
  const actingFor = (caller: Caller, work: SetAsideWork) => ({
    caller: { ...caller, sub_organization_id: work.sub_organization_id ?? caller.sub_organization_id },
    at: clock.now(),
  });
  const find = async (from: Db, job_id: string): Promise<SetAsideWork> => {
    const [work] = await findSetAside(from, job_id);
    if (!work) throw notFound("Job", job_id);
    return work;
  };

  api.get(
    "/api/v1/queues/set_aside",
    {
      summary: "List work that was set aside",
      description:
        "A message, a web chat, an insight or other work whose process died twice while it ran is not done again by " +
        "itself, nor is anything later in its conversation. Of the whole installation, for its operators; newest first.",
      tag,
      permission,
      response: z.array(SetAsideWork),
    },
    () => findSetAside(db),
  );

  api.post(
    "/api/v1/queues/set_aside/:job_id/retry",
    {
      summary: "Retry work that was set aside",
      description:
        "It runs at once, with what came in its conversation since. A web chat goes on with its visitor's next message. " +
        "Interrupted twice again, it is set aside again.",
      tag,
      permission,
      params: path,
      response: SetAsideWork,
      refusals: [404],
    },
    ({ params, caller }) =>
      db.transaction().execute(async (tx) => {
        const work = await find(tx, params.job_id);
        await retrySetAside(tx, work, actingFor(caller, work));
        const { job_id: resource_id } = work;
        await api.audit(tx, caller, { action: "retry", resource: tag, resource_id, before: work });
        return work;
      }),
  );

  api.delete(
    "/api/v1/queues/set_aside/:job_id",
    {
      summary: "Drop work that was set aside",
      description:
        "It is never done. Of a conversation by text or mail that is the message it stopped at: those after it are " +
        "answered. A web chat is ended; an insight stays failed, and an export too.",
      tag,
      permission,
      params: path,
      response: SetAsideWork,
      refusals: [404],
    },
    async ({ params, caller }) => {
      const dropped = await db.transaction().execute(async (tx) => {
        const work = await find(tx, params.job_id);
        await dropSetAside(tx, work, actingFor(caller, work));
        const { job_id: resource_id } = work;
        await api.audit(tx, caller, { action: "delete", resource: tag, resource_id, before: work });
        return work;
      });
      // By a lease of its own. Should the process die before, it is still in the list.
      if (dropped.kind === "web-chat")
        await endSession(engine, Number(ownId(dropped.kind, dropped.job_id)), "error");
      return dropped;
    },
  );
}

const tell: Job<object> = {
  name: TELL_SET_ASIDE,
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

type Untold = { job_id: string; name: string; payload: unknown; sub_organization_id: number };

/** Tells each organization, once, that work of its own stands still. Insights and web chats tell it themselves. */
export const tellSetAsideJob = (engine: Engine): JobHandler =>
  handle(tell, async () => {
    const { db, clock } = engine;
    const left: number[] = [];
    await db.transaction().execute(async (tx) => {
      const { rows } = await sql<Untold>`
        update interrupted_jobs set told_at = now()
        where set_aside_at is not null and told_at is null and sub_organization_id is not null
        returning job_id::text, name, payload, sub_organization_id`.execute(tx);
      for (const { job_id, name, payload, sub_organization_id } of rows) {
        left.push(...(await giveUpWaitedFor(tx, { name, payload }, clock.now())));
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
    });
    // By leases of their own. Should the process die before, they end for their silence.
    await oneByOne(left, (session_id) => endSession(engine, session_id, "error"));
  });
