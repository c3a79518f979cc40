import type { InsightExecution, JobQueues, WebhookDelivery } from "../api-types.ts";

/** A queue's counts and the reasons of its failures. Null is a count too high to finish. */
export type QueueRow = {
  name: string;
  waiting: number | null;
  running: number | null;
  /** Within the last day. */
  failed: number | null;
  reasons: { text: string; count: number }[];
};

const MOST_REASONS = 3;

type Counted<Item> = { items: Item[]; total_count?: number | null };

export const insightRow = (
  waiting: Counted<unknown>,
  running: Counted<unknown>,
  failed: Counted<InsightExecution>,
): QueueRow => ({
  name: "Insights",
  waiting: waiting.total_count ?? null,
  running: running.total_count ?? null,
  failed: failed.total_count ?? null,
  reasons: reasonsOf(
    failed.items.map((each) => `${each.workflow_name}: ${each.error_message ?? "no reason"}`),
  ),
});

export const webhookRow = (waiting: Counted<unknown>, failed: Counted<WebhookDelivery>): QueueRow => ({
  name: "Webhooks",
  waiting: waiting.total_count ?? null,
  // Deliveries take less than a second, so those being sent count as waiting.
  running: 0,
  failed: failed.total_count ?? null,
  reasons: reasonsOf(failed.items.map(({ reason }) => reason ?? "not accepted")),
});

export function jobRow({ queues, failures }: JobQueues): QueueRow {
  const sum = (count: "waiting" | "running" | "given_up") =>
    queues.reduce((total, queue) => total + queue[count], 0);
  return {
    name: "Background jobs",
    waiting: sum("waiting"),
    running: sum("running"),
    failed: failures.reduce((total, { jobs }) => total + jobs, 0),
    reasons: failures.slice(0, MOST_REASONS).map(({ name, reason, jobs, given_up }) => ({
      text: `${name}: ${reason}${given_up === jobs ? " (given up)" : " (is tried again)"}`,
      count: jobs,
    })),
  };
}

/** The most frequent first. */
function reasonsOf(texts: string[]): QueueRow["reasons"] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => ({ text, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MOST_REASONS);
}

/** "3 waiting, 1 running, 2 failed today"; nothing where there is nothing. */
export function queueWords({ waiting, running, failed }: QueueRow): string {
  const part = (count: number | null, word: string): string[] =>
    count === 0 ? [] : [`${count === null ? "more than 10,000" : count.toLocaleString("en")} ${word}`];
  return [
    ...part(waiting, "waiting"),
    ...part(running, "running"),
    ...part(failed, "failed within a day"),
  ].join(", ");
}
