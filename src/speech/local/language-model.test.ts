import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { isDictated, languageModel, wordsOf } from "./language-model.ts";

const section = (model: string, length: number) =>
  (model.split(`\\${length}-grams:\n`)[1] ?? "").split("\n\n")[0]?.split("\n") ?? [];

test("only words whose sound is known are in it, and templates and addresses are in no sentence", () => {
  const expected = [
    "Is that for {{ vars.call.name }}? See https://example.com/a, please. The check-up, Dr. Przybylski!",
  ];
  const model = languageModel(expected, (word) => word !== "przybylski");
  expect(model).toContain("the check up");
  expect(model).not.toMatch(/vars|example|przybylski/);
  expect(wordsOf("It’s Ann's 'check-up'")).toEqual(["it's", "ann's", "check", "up"]);
});

test("for all texts: counts are told as they are, and no probability is above one", () => {
  fc.assert(
    fc.property(fc.array(fc.lorem({ mode: "sentences", maxCount: 4 }), { maxLength: 6 }), (expected) => {
      const model = languageModel(expected, () => true);
      for (const length of [1, 2, 3]) {
        const lines = section(model, length);
        expect(model).toContain(`ngram ${length}=${lines.length}`);
        expect(
          new Set(
            lines.map((line) =>
              line
                .split(" ")
                .slice(1, 1 + length)
                .join(" "),
            ),
          ).size,
        ).toBe(lines.length);
        for (const line of lines) expect(Number(line.split(" ")[0])).toBeLessThanOrEqual(0);
      }
    }),
    { numRuns: rounds(30) },
  );
});

test("after digits come digits sooner than words that sound like them, however usual those are; in what is dictated hardly anything else", () => {
  const usual = "i want to book for two to four people. to the park for a day to go. what do you want";
  const [elsewhere, dictated] = [false, true].map((is) => {
    const model = languageModel([usual], () => true, { dictated: is });
    const unigrams = new Map(section(model, 1).map((line) => [line.split(" ")[1], line.split(" ")]));
    const bigrams = new Map(
      section(model, 2).map((line) => [line.split(" ").slice(1, 3).join(" "), line.split(" ")]),
    );
    return (history: string, word: string) => {
      const seen = bigrams.get(`${history} ${word}`);
      return Number(seen ? seen[0] : Number(unigrams.get(history)?.[2]) + Number(unigrams.get(word)?.[0]));
    };
  });
  if (!elsewhere || !dictated) throw new Error("no models");
  for (const [digit, alike] of [
    ["two", "to"],
    ["four", "for"],
    ["one", "want"],
  ] as const) {
    expect(elsewhere("five", digit)).toBeGreaterThan(elsewhere("five", alike));
    expect(dictated("five", alike)).toBeLessThan(elsewhere("five", alike) - 1);
    expect(dictated("want", alike)).toBeCloseTo(elsewhere("want", alike), 1);
  }
});

test.each([
  ["it is five one two five five five", true],
  ["it is five what do two and one zero", true],
  ["two or three people at four", false],
  ["the fifth of march at ten thirty", false],
])("%j is dictated: %j", (text, is) => expect(isDictated(text)).toBe(is));

test("for all histories: what may follow adds up to one", () => {
  const model = languageModel(["we are open from eight to five", "are you open on saturday"], () => true);
  const unigrams = section(model, 1).map((line) => line.split(" "));
  const bigrams = new Map(
    section(model, 2).map((line) => [line.split(" ").slice(1, 3).join(" "), line.split(" ")]),
  );
  const p = (text: string | undefined) => 10 ** Number(text);
  const words = unigrams.filter(([, word]) => word !== "<s>");
  expect(words.reduce((sum, [log]) => sum + p(log), 0)).toBeCloseTo(1, 2);
  for (const [, history, backOff] of unigrams) {
    if (history === "</s>") continue;
    const sum = words.reduce((total, [log, word]) => {
      const seen = bigrams.get(`${history} ${word}`);
      return total + (seen ? p(seen[0]) : p(backOff) * p(log));
    }, 0);
    expect(sum).toBeCloseTo(1, 1);
  }
});
