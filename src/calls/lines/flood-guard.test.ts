import { expect, test } from "vitest";
import { floodGuard } from "./flood-guard.ts";

function guard(most_a_second: number) {
  let at_ms = 0;
  const isOneTooMany = floodGuard(most_a_second, () => at_ms);
  return {
    /** How many of so many that come at once are let through. */
    taken: (messages: number) => Array.from({ length: messages }, isOneTooMany).filter((no) => !no).length,
    wait: (ms: number) => {
      at_ms += ms;
    },
  };
}

test("audio that was held back for a minute is taken at once, and goes on", () => {
  const { taken, wait } = guard(300);
  expect(taken(60 * 50)).toBe(3_000);
  for (let second = 0; second < 60; second++) {
    wait(1_000);
    expect(taken(300)).toBe(300);
  }
});

test("more than a stall can hold back, or more each second than its rate, is too much", () => {
  const { taken, wait } = guard(300);
  expect(taken(3_001)).toBe(3_000);
  wait(1_000);
  expect(taken(301)).toBe(300);
});
