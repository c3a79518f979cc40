import fc from "fast-check";
import { expect, test } from "vitest";
import { SETTLED_MS, TwoSides } from "./two-sides.ts";

const RATE = 8000;
/** A frame of 20 ms whose samples all have this value. */
const frame = (value: number) => new Int16Array(160).fill(value);
const side = (both: Int16Array, place: 0 | 1) => both.filter((_, at) => at % 2 === place);
/** The values of a side, each with the samples it stands for. */
function runs(samples: Int16Array): [number, number][] {
  const found: [number, number][] = [];
  for (const value of samples) {
    const last = found.at(-1);
    if (last?.[0] === value) last[1]++;
    else found.push([value, 1]);
  }
  return found;
}

test("each side lies where it was heard and played, with silence where nothing was", () => {
  const sides = new TwoSides(RATE);
  for (let n = 0; n < 5; n++) sides.caller(frame(1), 1000 + 20 * n);
  for (let n = 0; n < 5; n++) sides.agent(frame(2), 500);
  const both = sides.take(2000);
  expect(runs(side(both, 0))).toEqual([
    [0, 8000],
    [1, 800],
    [0, 7200],
  ]);
  expect(runs(side(both, 1))).toEqual([
    [0, 4000],
    [2, 800],
    [0, 11_200],
  ]);
});

test("what was cleared before it was played is in no recording, and what comes after it is", () => {
  const sides = new TwoSides(RATE);
  for (let n = 0; n < 10; n++) sides.agent(frame(1), 0);
  sides.clear(50);
  sides.agent(frame(2), 60);
  expect(runs(side(sides.take(200), 1))).toEqual([
    [1, 400],
    [2, 160],
    [0, 1040],
  ]);
});

test("frames of a caller that come late and in bursts are one sound", () => {
  const sides = new TwoSides(RATE);
  for (const [n, at] of [0, 45, 46, 130, 131, 132].entries()) sides.caller(frame(n + 1), at);
  expect(runs(side(sides.take(120), 0))).toEqual([1, 2, 3, 4, 5, 6].map((value) => [value, 160]));
});

test("a line that stands still and then brings all at once leaves no gap, and nothing after it is late", () => {
  const sides = new TwoSides(RATE);
  const stalls = [
    [1000, 1900],
    [4000, 4600],
  ] as const;
  const arrives = (said: number) => stalls.find(([from, to]) => said >= from && said < to)?.[1] ?? said;
  const taken: number[] = [];
  for (let n = 0; n < 300; n++) {
    const at = arrives(20 * n);
    if (n % 50 === 0) taken.push(...sides.take(at - SETTLED_MS));
    sides.caller(frame(n + 1), at);
  }
  taken.push(...sides.take(6000));
  const caller = side(Int16Array.from(taken), 0);
  expect(runs(caller)).toEqual(Array.from({ length: 300 }, (_, n) => [n + 1, 160]));
});

test("what was said before the recording began is not in it, and makes nothing late", () => {
  const sides = new TwoSides(RATE);
  // Half a second was waiting when the line was opened.
  for (let n = 0; n < 25; n++) sides.caller(frame(1), 0);
  for (let n = 0; n < 25; n++) sides.caller(frame(2), 20 * (n + 1));
  const [first, second] = runs(side(sides.take(520), 0));
  expect(first).toEqual([1, 160]);
  expect(second).toEqual([2, 4000]);
});

test("a pause of which nothing is made up for stays a pause", () => {
  const sides = new TwoSides(RATE);
  for (let n = 0; n < 10; n++) sides.caller(frame(1), 20 * n);
  for (let n = 0; n < 10; n++) sides.caller(frame(2), 1000 + 20 * n);
  expect(runs(side(sides.take(1200), 0))).toEqual([
    [1, 1600],
    [0, 6400],
    [2, 1600],
  ]);
});

test("for all calls: both sides are as long as the call, in whatever pieces it is taken out", () => {
  const heard = fc.array(fc.record({ at: fc.nat(3000), clear: fc.boolean(), own: fc.boolean() }), {
    maxLength: 60,
  });
  const cuts = fc.array(fc.nat(4000), { maxLength: 8 });
  fc.assert(
    fc.property(heard, cuts, (events, moments) => {
      const ordered = events.toSorted((a, b) => a.at - b.at);
      const whole = new TwoSides(RATE);
      const parts = new TwoSides(RATE);
      const taken: number[] = [];
      const due = moments.toSorted((a, b) => a - b);
      for (const { at, clear, own } of ordered) {
        // Only what is older than any frame to come is taken out.
        while (due[0] !== undefined && due[0] + SETTLED_MS <= at)
          taken.push(...parts.take(due.shift() as number));
        for (const sides of [whole, parts]) {
          if (clear) sides.clear(at);
          else if (own) sides.agent(frame(7), at);
          else sides.caller(frame(9), at);
        }
      }
      const all = whole.take(4000);
      taken.push(...parts.take(4000));
      expect(taken).toHaveLength(2 * 32_000);
      expect(taken).toEqual([...all]);
    }),
  );
});
