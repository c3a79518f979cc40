import type { Tx } from "../db/database.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { sendEvents, type WebhookMessage } from "../webhooks/event-delivery.ts";
import type { Result } from "./result.ts";

/** Tells the organizations' webhooks what was found in their sessions, in the transaction that stores it; of tests nobody. */
export async function sendFound(tx: Tx, results: Result[]): Promise<void> {
  const found = results.flatMap(
    ({ execution, tool, at, outcome }): (WebhookMessage & { of: number; session_id: number })[] => {
      const { id, sub_organization_id: of, workflow_id, subject } = execution;
      if (outcome.kind !== "done" || !("session_id" in subject)) return [];
      const { session_id } = subject;
      const values = Object.fromEntries(outcome.values.map(({ key, value }) => [key, value]));
      const data = {
        session_id: String(session_id),
        workflow_id,
        execution_id: id,
        insight_tool_id: tool.insight_tool_id,
        insight_tool: tool.name,
        insight_tool_version: tool.insight_tool_version,
        values,
      };
      return [{ of, event: "insight.found", at, session_id, data }];
    },
  );
  const tests = await testsAmong(
    tx,
    found.map(({ session_id }) => session_id),
  );
  const messages = found.filter(({ session_id }) => !tests.has(session_id));
  for (const [sub_organization_id, some] of Map.groupBy(messages, ({ of }) => of))
    await sendEvents(tx, sub_organization_id, some);
}

async function testsAmong(tx: Tx, session_ids: number[]): Promise<Set<number>> {
  if (session_ids.length === 0) return new Set();
  const tests = await tx
    .selectFrom("sessions")
    .select("id")
    .where("id", "in", session_ids)
    .where("is_test", "=", true)
    .execute();
  return new Set(tests.map(({ id }) => id));
}

/** Publishes the end of each execution that is over with its result, as an event. */
export async function publishEnds(tx: Tx, results: Result[]): Promise<void> {
  const over = results.flatMap((result) => {
    const event = eventOf(result);
    return event ? [{ sub_organization_id: result.execution.sub_organization_id, event }] : [];
  });
  for (const [sub_organization_id, group] of Map.groupBy(over, (one) => one.sub_organization_id)) {
    await publish(
      tx,
      sub_organization_id,
      group.map(({ event }) => event),
    );
  }
}

/** The event of an execution that has finished. */
function eventOf({ execution, tool, at, outcome }: Result): NewEvent | null {
  if (outcome.kind === "retry" || (outcome.kind === "done" && !outcome.last)) return null;
  const { id, workflow_id, subject } = execution;
  const completed = outcome.kind === "done";
  return {
    at,
    source: "api",
    source_id: workflow_id,
    category: "insights",
    type: completed ? "insight-execution-completed" : "insight-execution-failed",
    description: completed ? "An analysis was made" : `${tool.name}: ${outcome.message}`,
    ...("session_id" in subject && { session_id: subject.session_id }),
    attributes: { execution_id: id, workflow_id, ...subject },
  };
}
