import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { movedClock } from "../base/clock.ts";
import { createSchedule } from "./schedule.ts";

const START = "2026-11-18T12:00:00.000Z";
const onError = (error: unknown) => {
  throw error;
};

test("everything happens at its moment, in order, and what is planned meanwhile too", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 60 }), async (delays) => {
      const clock = movedClock(START);
      const schedule = createSchedule({ clock, speed: "moved", onError });
      const begun = clock.now().getTime();
      const happened: number[] = [];
      const wanted: number[] = [];
      for (const delay of delays) {
        wanted.push(delay, delay + 7);
        schedule.after(delay, () => {
          happened.push(clock.now().getTime() - begun);
          schedule.after(7, () => happened.push(clock.now().getTime() - begun));
        });
      }
      await schedule.advance(clock, 2000);
      expect(happened).toEqual(wanted.toSorted((a, b) => a - b));
      expect(clock.now().getTime() - begun).toBe(2000);
      expect(schedule.waiting).toBe(0);
    }),
    { numRuns: rounds(50) },
  );
});

test("what lies beyond the end of a move waits for the next one", async () => {
  const clock = movedClock(START);
  const schedule = createSchedule({ clock, speed: "moved", onError });
  let happened = 0;
  schedule.after(3_600_000, () => happened++);
  await schedule.advance(clock, 3_599_999);
  expect(happened).toBe(0);
  await schedule.advance(clock, 1);
  expect(happened).toBe(1);
});

test("a move waits for what it began", async () => {
  const clock = movedClock(START);
  const schedule = createSchedule({ clock, speed: "moved", onError });
  let done = false;
  schedule.after(10, async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    done = true;
  });
  await schedule.advance(clock, 10);
  expect(done).toBe(true);
});

test("what lies more than 24.8 days ahead, the longest a timer runs, does not happen at once", async () => {
  const schedule = createSchedule({ clock: movedClock(START), speed: 0.1, onError });
  let happened = 0;
  schedule.after(3 * 24 * 3_600_000, () => happened++);
  await new Promise<void>((resolve) => schedule.after(2, resolve));
  expect(happened).toBe(0);
  schedule.stop();
});

test("at speed an hour passes in a moment", async () => {
  const schedule = createSchedule({ clock: movedClock(START), speed: 360_000, onError });
  const passed = new Promise<void>((resolve) => schedule.after(3_600_000, resolve));
  await expect(passed).resolves.toBeUndefined();
});

test("what fails is told, and what comes after it happens all the same", async () => {
  const clock = movedClock(START);
  const errors: unknown[] = [];
  const schedule = createSchedule({ clock, speed: "moved", onError: (error) => errors.push(error) });
  let after = false;
  schedule.after(1, () => {
    throw new Error("at once");
  });
  schedule.after(2, async () => {
    throw new Error("later");
  });
  schedule.after(3, () => {
    after = true;
  });
  await schedule.advance(clock, 10);
  expect(errors.map(String)).toEqual(["Error: at once", "Error: later"]);
  expect(after).toBe(true);
});

test("once stopped nothing happens any more", async () => {
  const clock = movedClock(START);
  const schedule = createSchedule({ clock, speed: "moved", onError });
  let happened = 0;
  schedule.after(1, () => happened++);
  schedule.stop();
  schedule.after(1, () => happened++);
  await schedule.advance(clock, 10);
  expect(happened).toBe(0);
});

test("it is idle only while nothing is planned and nothing that was begun is under way", async () => {
  const clock = movedClock(START);
  const schedule = createSchedule({ clock, speed: "moved", onError });
  const work = Promise.withResolvers<void>();
  expect(schedule.isIdle).toBe(true);
  schedule.after(1000, () => work.promise);
  expect(schedule.isIdle).toBe(false);
  const moved = schedule.advance(clock, 1000);
  await expect.poll(() => schedule.waiting).toBe(0);
  expect(schedule.isIdle).toBe(false);
  work.resolve();
  await moved;
  expect(schedule.isIdle).toBe(true);
});
