import fc from "fast-check";
import { expect, test } from "vitest";
import { hrTime } from "./otlp.ts";

test("nanoseconds never make a whole second, and say the same time", () => {
  const ms = fc.oneof(
    fc.double({ min: 0, max: 2e12, noNaN: true }),
    fc
      .tuple(fc.nat(2_000_000_000), fc.double({ min: 0, max: 1e-6, noNaN: true }))
      .map(([s, e]) => s * 1000 - e),
  );
  fc.assert(
    fc.property(ms, (at) => {
      const [seconds, nanos] = hrTime(Math.abs(at));
      expect(nanos).toBeGreaterThanOrEqual(0);
      expect(nanos).toBeLessThan(1e9);
      expect(seconds * 1000 + nanos / 1e6).toBeCloseTo(Math.abs(at), 2);
    }),
  );
  expect(hrTime(999.9999999)).toEqual([0, 999_999_999]);
  expect(hrTime(1764475200123)).toEqual([1764475200, 123_000_000]);
});
