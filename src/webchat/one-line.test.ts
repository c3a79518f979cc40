import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { oneLine } from "./one-line.ts";

const BREAKING = [
  "\n",
  "\r\n",
  "\t",
  "\0",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u200b",
  "\u202e",
  "\u{e0041}",
  " ",
];
const WORDS = ["محمد\u200cرضا", "👩‍👩‍👧", "मीरा", "क्\u200dष", "Ann-Marie", "O’Neil"];

test("a visitor's text is one line of its very words, and none of what hides or breaks a line is left of it", () => {
  const breaking = fc.array(fc.constantFrom(...BREAKING), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...WORDS), breaking)), (parts) => {
      const text = parts.map(([word, after]) => word + after.join("")).join("");
      expect(oneLine(text)).toBe(parts.map(([word]) => word).join(" "));
    }),
    { numRuns: rounds(100) },
  );
});
