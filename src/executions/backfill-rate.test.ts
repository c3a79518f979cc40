import fc from "fast-check";
import { expect, test } from "vitest";
import { allowance } from "./backfill-rate.ts";

const START = Date.parse("2026-11-18T12:00:00Z");
const at = (ms: number) => new Date(START + ms);

test("without a rate everything there is room for may be queued", () => {
  expect(allowance(null, at(0), at(0), 1000)).toEqual({ count: 1000, next_at: null });
  expect(allowance(null, at(0), at(0), -5).count).toBe(0);
});

test("with a rate one is queued at once, and then one a step", () => {
  expect(allowance(60, at(0), at(0), 1000)).toEqual({ count: 1, next_at: at(1000) });
  expect(allowance(60, at(1000), at(500), 1000)).toEqual({ count: 0, next_at: at(1000) });
  expect(allowance(60, at(1000), at(3500), 1000)).toEqual({ count: 3, next_at: at(4000) });
  expect(allowance(1, at(0), at(60_000), 1000)).toEqual({ count: 2, next_at: at(120_000) });
});

test("however often and late it is fed, an hour has no more than the rate and what ten seconds saved up", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6000 }),
      fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 1000 }),
      (rate, waits, most) => {
        let now = 0;
        let next = at(0);
        let queued = 0;
        for (const wait of waits) {
          now += wait;
          const { count, next_at } = allowance(rate, next, at(now), most);
          queued += count;
          next = next_at as Date;
        }
        const saved = Math.max(10_000, 60_000 / rate);
        return queued <= ((now + saved) * rate) / 60_000 + 1;
      },
    ),
  );
});
