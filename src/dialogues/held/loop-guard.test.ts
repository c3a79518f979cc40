import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { areAlike, DAY_MS, type EarlierMessage, TEXT_PACE, whyHeld, wordsIn } from "./loop-guard.ts";

const START = Date.parse("2026-11-18T12:00:00Z");

/** Which of these messages are answered, one after the other. */
function run(messages: readonly { words: string; after_ms: number }[]) {
  const heard: EarlierMessage[] = [];
  let at = START;
  for (const { words, after_ms } of messages) {
    at += after_ms;
    const message = { words, at: new Date(at) };
    heard.push({ ...message, held: whyHeld(heard, message, TEXT_PACE) });
  }
  return heard;
}
const answeredOf = (heard: readonly EarlierMessage[]) => heard.filter(({ held }) => held === null);

const away = (n: number) =>
  `Thank you for your message #${4711 + n}. We are closed until ${1 + (n % 28)} December and will answer then.`;

describe("an automatic answer", () => {
  test("is answered three times, whatever number or date it names", () => {
    const heard = run(Array.from({ length: 100 }, (_, n) => ({ words: away(n), after_ms: 2000 })));
    expect(answeredOf(heard)).toHaveLength(3);
    expect(heard.at(-1)?.held).toBe("repeated");
  });

  test("is held beside others too, and something different goes on", () => {
    const same = Array.from({ length: 10 }, () => ({ words: away(1), after_ms: 2000 }));
    const heard = run([...same, { words: "Sorry, can I come on Tuesday instead?", after_ms: 2000 }, ...same]);
    expect(heard[10]?.held).toBeNull();
    expect(answeredOf(heard)).toHaveLength(4);
  });

  test("of a word is answered twelve times, so that a form of yes and no is not", () => {
    const yes = (n: number) =>
      answeredOf(run(Array.from({ length: n }, () => ({ words: "Yes", after_ms: 5000 }))));
    expect(yes(10)).toHaveLength(10);
    expect(yes(60)).toHaveLength(12);
  });

  test("is another one on another day", () => {
    const message = { words: away(1), after_ms: 2000 };
    expect(
      answeredOf(run([message, message, message, message, { ...message, after_ms: DAY_MS }])),
    ).toHaveLength(4);
  });
});

test("numbers alone are words: 1, 2 and 3 are three answers", () => {
  expect(areAlike(wordsIn("1"), wordsIn("2"))).toBe(false);
});

const message = fc.record({
  words: fc.oneof(fc.string({ maxLength: 60 }), fc.constantFrom("yes", away(1), away(2), "👍", "")),
  after_ms: fc.nat({ max: 30 * 60_000 }),
});

test("whatever somebody writes, an hour and a day have no more answers than their limits", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 300 }), (messages) => {
      const answered = answeredOf(run(messages)).map(({ at }) => at.getTime());
      const most = (span_ms: number) =>
        Math.max(
          0,
          ...answered.map((at) => answered.filter((other) => other <= at && at - other < span_ms).length),
        );
      expect(most(3_600_000)).toBeLessThanOrEqual(TEXT_PACE.an_hour);
      expect(most(DAY_MS)).toBeLessThanOrEqual(TEXT_PACE.a_day);
    }),
    { numRuns: rounds(50) },
  );
});

test("the same words have no more than twelve answers a day, and what differs from all before is answered within the pace", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (words, n) => {
      const heard = run(Array.from({ length: n }, () => ({ words, after_ms: 60_000 })));
      expect(answeredOf(heard).length).toBeLessThanOrEqual(12);
      const different = {
        words: "zzz quite another sentence than before zzz",
        at: new Date(START + DAY_MS / 2),
      };
      if (!areAlike(wordsIn(words), wordsIn(different.words))) {
        expect(whyHeld(heard, different, TEXT_PACE)).toBeNull();
      }
    }),
  );
});

test("two texts are alike whichever comes first, and each is like itself", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(areAlike(wordsIn(a), wordsIn(b))).toBe(areAlike(wordsIn(b), wordsIn(a)));
      expect(areAlike(wordsIn(a), wordsIn(a))).toBe(true);
    }),
  );
});
