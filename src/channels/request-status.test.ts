import { expect, test } from "vitest";
import { CHANNEL_STATUSES } from "./channel-status.ts";
import { isOver, isUnderWay, isWaiting, REQUEST_STATUSES } from "./request-status.ts";

test("there are the specification's 40 channel statuses, each once", () => {
  expect(new Set(CHANNEL_STATUSES).size).toBe(40);
  expect(CHANNEL_STATUSES).toHaveLength(40);
});

test("a request is waiting, under way or over, and only one of them", () => {
  for (const status of REQUEST_STATUSES) {
    expect(
      [isWaiting, isUnderWay, isOver].filter((is) => is(status)),
      status,
    ).toHaveLength(1);
  }
});
