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
        const at_once = new AttemptsAtOnce({ most, hold_ms });
        const starts: number[] = [];
        const busyAt = (at: number) => starts.filter((start) => start <= at && at < start + hold_ms).length;
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const free = at_once.freeAt(new Date(now)).getTime();
          expect(free > now).toBe(busyAt(now) >= most);
          if (free > now) expect(busyAt(free - 1)).toBeGreaterThanOrEqual(most);
          now = free;
          expect(busyAt(now)).toBeLessThan(most);
          at_once.start(new Date(now));
          starts.push(now);
        }
      },
    ),
  );
});

test("without a limit nobody waits", () => {
  const at_once = new AttemptsAtOnce(null);
  for (let n = 0; n < 3; n++) at_once.start(new Date(5));
  expect(at_once.freeAt(new Date(5))).toEqual(new Date(5));
});
