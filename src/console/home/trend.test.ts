import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { againstBefore, dayWords, trendPath } from "./trend.ts";

const total = (value: number | null, before: number | null, change: number | null = null) => ({
  value,
  before,
  change,
  count: 1,
  before_count: 1,
  low: null,
  high: null,
  search: null,
});

describe("the line of a figure", () => {
  test("stays within its picture and has a place for each day that has a figure, for all figures", () => {
    const days = fc.array(fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })), { maxLength: 31 });
    fc.assert(
      fc.property(days, (values) => {
        const points = [...trendPath(values).matchAll(/[ML](\S+) ([\d.]+)/g)];
        expect(points.length).toBe(values.filter((value) => value !== null).length);
        for (const [, x, y] of points) {
          expect(Number(x)).toBeGreaterThanOrEqual(0);
          expect(Number(x)).toBeLessThanOrEqual(100);
          expect(Number(y)).toBeGreaterThanOrEqual(2);
          expect(Number(y)).toBeLessThanOrEqual(22);
        }
      }),
    );
  });

  test("breaks at a day without a figure, and a day alone is a point", () => {
    expect(trendPath([0, 2, null, 1, null])).toBe("M0 22L25 2M75 12h-4");
    expect(trendPath([])).toBe("");
  });
});

describe("the period before", () => {
  test("is told in percent, and of shares in points", () => {
    expect(againstBefore(total(112, 100, 0.12), "count")).toBe("+12 % vs the previous 7 days");
    expect(againstBefore(total(900, 1_000, -0.1), "milliseconds")).toBe("−10 % vs the previous 7 days");
    expect(againstBefore(total(0.034, 0.05, -0.32), "percent")).toBe("−1.6 points vs the previous 7 days");
    expect(againstBefore(total(5, 5, 0), "usd")).toBe("Same as the previous 7 days");
  });

  test("that had nothing is not compared with", () => {
    expect(againstBefore(total(3, 0), "count")).toBeNull();
    expect(againstBefore(total(null, 0.1), "percent")).toBeNull();
    expect(againstBefore(total(0.1, null), "percent")).toBeNull();
  });

  test("and the days are words, too", () => {
    expect(dayWords([0.5, null], "percent")).toBe("By day, until today: 50 %, none.");
  });
});
