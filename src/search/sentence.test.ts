import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../test/harness/processor-time.ts";
import { bestSentence, firstSentence, sentencesOf, wordsOf } from "./sentence.ts";

const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc
    .array(
      fc.constantFrom("Hello.", "book", "a slot!", "予約を変更", "x@y.org", "😀", "\n", "state-of-the-art"),
    )
    .map((parts) => parts.join(" ")),
);

test("marks of any text hold words that were searched for, in order, and never overlap", () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, pick) => {
      const words = wordsOf(text);
      const wanted = words[pick % Math.max(1, words.length)]?.word.toLowerCase() ?? "nothing";
      const found = bestSentence(text, (word) => word.toLowerCase() === wanted);
      if (found === null) return;
      let last = 0;
      for (const { from, to } of found.marks) {
        expect(from).toBeGreaterThanOrEqual(last);
        expect(to).toBeLessThanOrEqual(found.text.length);
        expect(found.text.slice(from, to).toLowerCase()).toContain(wanted);
        last = to;
      }
      expect(text).toContain(found.text.replace(/^…/, "").replace(/…$/, ""));
    }),
  );
});

test("every word of any text is where it is said to be, and every sentence too", () => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const { word, from, to } of wordsOf(text)) expect(text.slice(from, to)).toBe(word);
      for (const sentence of sentencesOf(text))
        expect(text.slice(sentence.from, sentence.to)).toBe(sentence.text);
    }),
  );
});

test("the sentence with the most of the words is shown, a long one cut around them", () => {
  const isSearched = (word: string) => ["book", "slot"].includes(word);
  expect(bestSentence("I book. Please book a slot. Bye.", isSearched)).toEqual({
    text: "Please book a slot.",
    marks: [
      { from: 7, to: 11 },
      { from: 14, to: 18 },
    ],
    different: 2,
  });
  const found = bestSentence(`${"word ".repeat(100)}book ${"word ".repeat(100)}`, isSearched);
  expect(found?.text.length).toBeLessThan(250);
  expect(found?.marks.map(({ from, to }) => found.text.slice(from, to))).toEqual(["book"]);
});

test("a title is the first sentence, in one line", () => {
  expect(firstSentence("  I need\n a slot. Soon.")).toBe("I need a slot.");
  expect(firstSentence("  ")).toBeNull();
  expect(firstSentence("x".repeat(500))).toHaveLength(140);
});

test("a word with thousands of signs in it holds nobody up", () => {
  const read = () => expect(wordsOf(`a${".".repeat(64_000)}b`)).toHaveLength(3);
  expect(processorMs(read)).toBeLessThan(2_000);
});
