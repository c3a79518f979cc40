import { expect, test } from "vitest";
import { untilNextPoll_ms } from "./delivery-loop.ts";

test("an outbox is polled once a second at the least: what is due is not late by more, however long a poll takes", () => {
  expect([1, 5, 20, 250, 3_000].map(untilNextPoll_ms)).toEqual([100, 100, 400, 1_000, 1_000]);
});
