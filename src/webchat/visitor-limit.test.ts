import fc from "fast-check";
import { expect, test } from "vitest";
import { movedClock } from "../base/clock.ts";
import { createVisitorLimit } from "./visitor-limit.ts";

const START = "2026-11-18T12:00:00.000Z";

test("nobody does it more often in any minute than they may, and whoever waits as told may again", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 }), (pauses) => {
      const clock = movedClock(START);
      const limit = createVisitorLimit(clock, 3);
      const allowed: number[] = [];
      for (const pause of pauses) {
        clock.advance(pause);
        const wait_s = limit.wait_s("somebody");
        if (wait_s === null) allowed.push(clock.now().getTime());
        else {
          clock.advance(wait_s * 1000);
          expect(limit.wait_s("somebody")).toBeNull();
          allowed.push(clock.now().getTime());
        }
      }
      for (const [n, at] of allowed.entries()) {
        const fourth = allowed[n + 3];
        if (fourth !== undefined) expect(fourth - at).toBeGreaterThanOrEqual(60_000);
      }
    }),
  );
});

test("one visitor's haste is not another's", () => {
  const limit = createVisitorLimit(movedClock(START), 1);
  expect(limit.wait_s("a")).toBeNull();
  expect(limit.wait_s("a")).toBe(60);
  expect(limit.wait_s("b")).toBeNull();
});

test("a clock that is set back keeps nobody waiting for longer than a minute", () => {
  const clock = movedClock(START);
  const limit = createVisitorLimit(clock, 1);
  expect(limit.wait_s("a")).toBeNull();
  clock.set("2026-11-18T11:50:00.000Z");
  expect(limit.wait_s("a")).toBeNull();
  expect(limit.wait_s("a")).toBe(60);
});
