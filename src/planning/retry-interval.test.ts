import { expect, test } from "vitest";
import { RETRY_INTERVAL, retryWait_s } from "./retry-interval.ts";

test.each([
  ["45s", 45],
  ["30m", 1_800],
  ["12h", 43_200],
  ["7d", 604_800],
  ["2w", 1_209_600],
  ["9999m", 599_940],
  [null, 3_600],
])("%s waits %i seconds", (interval, seconds) => {
  if (interval !== null) expect(interval).toMatch(RETRY_INTERVAL);
  expect(retryWait_s(interval)).toBe(seconds);
});

test.each(["0m", "30", "1.5h", "10000m", "-5m", "5 m", "5M", "5y", "m", "", "30m\n"])(
  "%j is no interval",
  (text) => {
    expect(text).not.toMatch(RETRY_INTERVAL);
  },
);
