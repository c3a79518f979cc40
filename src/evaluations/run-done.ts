import { z } from "zod";
import type { Tx } from "../db/database.ts";
import { type NewEvent, publish } from "../events/event.ts";
import type { EventOf } from "../events/event-types.ts";
import { enqueue, type Job } from "../jobs/define-job.ts";

/** Sends the suite's webhook the news of a run; the room of webhooks does it. */
export const tellTestRun: Job<{ run_id: number; tries: number }> = {
  name: "tell-test-run",
  payload: z.object({ run_id: z.int(), tries: z.int() }),
  max_attempts: 5,
};

type DoneRun = {
  id: number;
  suite_id: number;
  sub_organization_id: number;
  agent_name: string;
  is_scheduled: boolean;
};

/** In the transaction that ends the run: its event, and the job that tells the suite's webhook. */
export async function tellDone(tx: Tx, at: Date, run: DoneRun): Promise<void> {
  const { id: run_id, suite_id, sub_organization_id, agent_name, is_scheduled } = run;
  const suite = await tx
    .selectFrom("test_suites as s")
    .leftJoin("test_schedules as t", "t.suite_id", "s.id")
    .where("s.id", "=", suite_id)
    .select(["s.name", "t.webhook_url"])
    .executeTakeFirstOrThrow();
  const attributes = { run_id, suite_id, suite: suite.name, agent: agent_name, is_scheduled };
  const description = `Run ${run_id} of ${suite.name} is finished.`;
  await publish(tx, sub_organization_id, [testEvent(at, "test_run_finished", description, attributes)]);
  if (suite.webhook_url !== null)
    await enqueue(tx, tellTestRun, { run_id, tries: 0 }, { tenant: sub_organization_id });
}

type TestEvent = EventOf<"test_run_finished" | "test_run_missed">;

export const testEvent = (
  at: Date,
  type: TestEvent["type"],
  description: string,
  attributes: TestEvent["attributes"],
): NewEvent => ({ at, source: "job", source_id: null, category: "tests", type, description, attributes });
