import fc from "fast-check";
import { expect, test } from "vitest";
import "../../../test/harness/seed.ts";
import { AttemptsAtOnce } from "./attempts-at-once.ts";

test("however attempts are spread, no more than the limit are under way, and none waits while a place is free", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.nat({ max: 20 }), { maxLength: 60 }),
      (most, hold_ms, gaps) => {
        const at_once = new AttemptsAtOnce({ campaign: { most, hold_ms }, agent: null });
        const starts: number[] = [];
        const busyAt = (at: number) => starts.filter((start) => start <= at && at < start + hold_ms).length;
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const free = at_once.freeAt(new Date(now), true).getTime();
          expect(free > now).toBe(busyAt(now) >= most);
          if (free > now) expect(busyAt(free - 1)).toBeGreaterThanOrEqual(most);
          now = free;
          expect(busyAt(now)).toBeLessThan(most);
          at_once.start(new Date(now), true);
          starts.push(now);
        }
      },
    ),
  );
});

test("without a limit nobody waits", () => {
  const at_once = new AttemptsAtOnce({ campaign: null, agent: null });
  for (let n = 0; n < 3; n++) at_once.start(new Date(5), true);
  expect(at_once.freeAt(new Date(5), true)).toEqual(new Date(5));
});

test("of two limits both are kept, and what is no call of the agent leaves the agent's places free", () => {
  const at_once = new AttemptsAtOnce({ campaign: { most: 3, hold_ms: 10 }, agent: { most: 1, hold_ms: 30 } });
  at_once.start(new Date(0), true);
  expect(at_once.freeAt(new Date(1), true)).toEqual(new Date(30));
  expect(at_once.freeAt(new Date(1), false)).toEqual(new Date(1));
  for (const at of [1, 2]) at_once.start(new Date(at), false);
  expect(at_once.freeAt(new Date(3), false)).toEqual(new Date(10));
  expect(at_once.freeAt(new Date(3), true)).toEqual(new Date(30));
});
