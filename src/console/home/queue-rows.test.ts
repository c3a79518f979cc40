import { expect, test } from "vitest";
import type { InsightExecution } from "../api-types.ts";
import { insightRow, jobRow, queueWords, webhookRow } from "./queue-rows.ts";

const none = { items: [], total_count: 0 };
const failed = (error_message: string | null) =>
  ({ workflow_name: "Topics", error_message }) as InsightExecution;

test("the reasons of failures are grouped, the most frequent first, three at most", () => {
  const items = ["b", "a", "a", null, "c", "c", "c"].map(failed);
  const row = insightRow({ items: [], total_count: 4 }, none, { items, total_count: 7 });
  expect(row).toMatchObject({ waiting: 4, running: 0, failed: 7 });
  expect(row.reasons).toEqual([
    { text: "Topics: c", count: 3 },
    { text: "Topics: a", count: 2 },
    { text: "Topics: b", count: 1 },
  ]);
});

test("jobs of all kinds are one row, whose failures say whether they are tried again", () => {
  const queue = { name: "mail", waiting: 1, later: 5, running: 2, given_up: 0 };
  const failure = { name: "mail", reason: "no answer", jobs: 2, given_up: 0, failed_at: "" };
  const row = jobRow({ queues: [queue, queue], failures: [failure, { ...failure, given_up: 2 }] });
  expect(row).toMatchObject({ waiting: 2, running: 4, failed: 4 });
  expect(row.reasons.map(({ text }) => text)).toEqual([
    "mail: no answer (is tried again)",
    "mail: no answer (given up)",
  ]);
});

test("what is nothing is not said, and what was not counted to the end is said to be many", () => {
  expect(queueWords(webhookRow(none, none))).toBe("");
  expect(queueWords(webhookRow({ items: [], total_count: null }, none))).toBe("more than 10,000 waiting");
  expect(queueWords({ ...webhookRow(none, none), waiting: 1200, running: 1, failed: 2 })).toBe(
    "1,200 waiting, 1 running, 2 failed within a day",
  );
});
