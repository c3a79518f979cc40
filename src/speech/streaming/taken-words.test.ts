import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { TakenWords } from "./taken-words.ts";

/** What callers say, written as a service does: with blanks between words or, as in Japanese and Thai, without. */
const SAID = [
  { between: " ", words: ["I", "can't", "find", "María", "5", "naïve", "नमस्ते", "हाँ", "Größe"] },
  { between: "", words: ["今日", "は", "元気", "コーヒー", "です", "パ"] },
  { between: "", words: ["ครับ", "ได้", "พรุ่งนี้", "โมง"] },
];
const marks = fc.constantFrom("", ",", ".", "?", "。", "、", "…");

test("what is said after some words were taken is heard once and whole, in every script, however the service rewrites the first", () => {
  const turn = fc.constantFrom(...SAID).chain(({ between, words }) => {
    const some = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 });
    return fc.record({ between: fc.constant(between), first: some, next: some, mark: marks, end: marks });
  });
  fc.assert(
    fc.property(turn, ({ between, first, next, mark, end }) => {
      const taken = new TakenWords();
      expect(taken.partial(first.join(between))).toBe(first.join(between));
      taken.take();
      const again = first.join(between).toUpperCase().replaceAll("'", "’") + mark;
      const rest = next.join(between) + end;
      expect(taken.partial(again)).toBe("");
      expect(taken.partial(again + between + rest)).toBe(rest);
      taken.take();
      expect(taken.partial(again + between + rest)).toBe("");
      expect(taken.final(`${again}${between}${rest}`)).toBe("");
      expect(taken.isEmpty).toBe(true);
      expect(taken.partial(rest)).toBe(rest);
    }),
    { numRuns: rounds(300) },
  );
});
