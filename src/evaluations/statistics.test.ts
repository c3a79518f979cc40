import { expect, test } from "vitest";
import { exactMcNemar, pairsNeeded, pWords, twoSidedZ, wilsonInterval } from "./statistics.ts";

test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])(
  "Wilson's interval of %i of %i is the one Newcombe published (1998, table I)",
  (passed, total, low, high) => {
    const interval = wilsonInterval(passed, total);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  },
);

test("no results have no interval, and all that pass leave the upper end at 1", () => {
  expect(wilsonInterval(0, 0)).toBeNull();
  expect(wilsonInterval(20, 20)).toMatchObject({ high: 1 });
  expect(wilsonInterval(20, 20)?.low).toBeCloseTo(0.8389, 4);
});

test.each([
  // The example of R's exact2x2: 21, 9, 2, 12.
  [9, 2, 0.06543],
  [2, 9, 0.06543],
  [1, 6, 0.125],
  [0, 5, 0.0625],
  [0, 6, 0.03125],
  [0, 0, 1],
  [7, 7, 1],
])("McNemar's exact p of %i against %i is %f", (better, worse, p) => {
  expect(exactMcNemar(better, worse)).toBeCloseTo(p, 5);
});

test("thousands of pairs don't underflow", () => {
  expect(exactMcNemar(0, 0)).toBe(1);
  expect(exactMcNemar(2_000, 2_000)).toBe(1);
  expect(exactMcNemar(1_900, 2_100)).toBeCloseTo(0.00166, 4);
});

test("the pairs needed are Connor's, and equal counts need none that could be named", () => {
  // 20 % against 10 % discordant: (1.96·√0.3 + 0.8416·√(0.3 − 0.01))² / 0.01 = 233.1
  expect(pairsNeeded({ pairs: 100, better: 20, worse: 10 })).toBe(234);
  expect(pairsNeeded({ pairs: 40, better: 2, worse: 2 })).toBeNull();
});

test.each([
  [0.05, 1.96],
  [0.04, 2.0537],
  [0.01, 2.5758],
  [0.001, 3.2905],
  [0.00005, 4.0556],
])("at %f a two-sided test asks for the normal distribution's point %f, and for more pairs", (alpha, z) => {
  expect(twoSidedZ(alpha)).toBeCloseTo(z, 3);
});

test("a p-value is never told as nothing", () => {
  expect(pWords(exactMcNemar(20, 0))).toBe("p < 0.0001");
  expect(pWords(0.03125)).toBe("p = 0.0313");
});
