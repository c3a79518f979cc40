import fc from "fast-check";
import { expect, test } from "vitest";
import { splitText } from "./text-split.ts";

const words = (text: string) => text.split(/\s+/).filter(Boolean);

test("no text is longer than what fits, and no word is lost or moved", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.integer({ min: 2, max: 60 }),
      (text, longest) => {
        const parts = splitText(text, longest);
        expect(parts.every((part) => part.length <= longest && part.length > 0)).toBe(true);
        expect(parts.every((part) => part.isWellFormed() || !text.isWellFormed())).toBe(true);
        // A word longer than a text is cut; everything else stays as it was.
        expect(words(parts.join("")).join("")).toBe(words(text).join(""));
      },
    ),
  );
});

test("a short text stays whole, nothing stays nothing", () => {
  expect(splitText(" Hello there. ")).toEqual(["Hello there."]);
  expect(splitText("  \n ")).toEqual([]);
});

test("it is cut between paragraphs, then sentences, then words", () => {
  expect(splitText("One two three.\n\nFour five six seven.", 24)).toEqual([
    "One two three.",
    "Four five six seven.",
  ]);
  expect(splitText("One two three. Four five six seven.", 24)).toEqual([
    "One two three.",
    "Four five six seven.",
  ]);
  expect(splitText("one two three four five six", 14)).toEqual(["one two three", "four five six"]);
  expect(splitText("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
});
