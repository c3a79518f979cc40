import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { MOST_MISSING, OrderedFrames } from "./ordered-frames.ts";

const WINDOW = 4;
const LENGTH = 3;

/** A frame says its number; silence is 0. */
const frame = (number: number) => new Int16Array(LENGTH).fill(number);
const heard = (numbers: number[], window = WINDOW) => {
  const line = new OrderedFrames({ first: 1, window });
  return numbers.map((number) => line.push(number, frame(number)));
};
const numbersOf = (frames: Int16Array[]) => frames.map((samples) => samples[0]);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** The numbers to `count`, each moved by less than the window. */
const shuffled = fc
  .array(fc.double({ min: 0, max: WINDOW - 1, noNaN: true, maxExcluded: true }), {
    maxLength: 200,
    size: "max",
  })
  .map((delays) =>
    delays
      .map((delay, at) => ({ number: at + 1, at: at + delay }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ number }) => number),
  );

test("frames that changed places within the window give the same audio, doubled ones too", () => {
  fc.assert(
    fc.property(shuffled, fc.array(fc.nat(), { maxLength: 20, size: "max" }), (numbers, doubles) => {
      const sent = [...numbers];
      for (const at of doubles) {
        const place = at % (sent.length + 1);
        const again = sent[place - 1];
        if (again !== undefined) sent.splice(place, 0, again);
      }
      expect(numbersOf(heard(sent).flat())).toEqual(upTo(numbers.length));
    }),
    { numRuns: rounds(300) },
  );
});

test("what is missing is silence of the same length, so that the rest keeps its time", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 300, size: "max" }), (lost) => {
      // Never more lost in a row than one frame bridges; the last ones come, so that nothing waits.
      const numbers = lost.flatMap((isLost, at) => (isLost && at % MOST_MISSING !== 0 ? [] : [at + 1]));
      const end = upTo(WINDOW).map((more) => lost.length + more);
      const audio = heard([...numbers, ...end]).flat();
      const came = new Set([...numbers, ...end]);
      expect(numbersOf(audio)).toEqual(
        upTo(lost.length + WINDOW).map((number) => (came.has(number) ? number : 0)),
      );
      expect(audio.every((samples) => samples.length === LENGTH)).toBe(true);
    }),
    { numRuns: rounds(300) },
  );
});

test("a late frame is dropped: its place was silence already", () => {
  expect(heard([1, 3, 4, 5, 6, 2, 7]).map(numbersOf)).toEqual([[1], [], [], [], [0, 3, 4, 5, 6], [], [7]]);
});

test("a frame waits for fewer others than the window holds, whatever comes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: MOST_MISSING }), { maxLength: 200, size: "max" }),
      (numbers) => {
        let next = 1;
        let waiting = new Set<number>();
        for (const [at, out] of heard(numbers).entries()) {
          const number = numbers[at] as number;
          if (number >= next) waiting.add(number);
          next += out.length;
          waiting = new Set([...waiting].filter((one) => one >= next));
          expect(waiting.size).toBeLessThan(WINDOW);
        }
      },
    ),
    { numRuns: rounds(300) },
  );
});

test("numbers of any size bring no more silence than a second, and end", () => {
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat(), { maxLength: 100, size: "max" }), (numbers) => {
      for (const out of heard(numbers)) expect(out.length).toBeLessThanOrEqual(MOST_MISSING + WINDOW);
    }),
    { numRuns: rounds(300) },
  );
});

test("one frame with a wild number is dropped, and a carrier that counts anew is heard", () => {
  expect(numbersOf(heard([1, 9_000_000, 2, 3]).flat())).toEqual([1, 2, 3]);
  // Wild ones between sound ones are no new count, however many there are.
  const wild = upTo(20).flatMap((number) => [number, 9_000_000 + number]);
  expect(numbersOf(heard(wild).flat())).toEqual(upTo(20));
  const anew = [7000, 7001, 7002, 7003, 7004, 7005];
  expect(numbersOf(heard([1, 2, ...anew]).flat())).toEqual([1, 2, 7003, 7004, 7005]);
  const line = new OrderedFrames({ first: 7000, window: WINDOW });
  expect(numbersOf([7000, 1, 2, 3, 4, 5].flatMap((number) => line.push(number, frame(number))))).toEqual([
    7000, 4, 5,
  ]);
});
