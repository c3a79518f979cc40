import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { linesOf, textsOf, twiceWritten } from "./announcement-lines.ts";

const line = fc.stringMatching(/^[a-z:]{1,3}( [a-z:]{1,5}){0,3}$/);
const text = fc
  .array(fc.oneof(line, fc.constant("")), { maxLength: 3 })
  .chain((middle) => fc.tuple(line, line).map(([first, last]) => [first, ...middle, last].join("\n")));

test("texts of any lines, written and read again, are the same, the default first", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("en", "de", "es-US", "zh-Hant"), text, { minKeys: 1 }),
      (texts) => {
        const default_language = Object.keys(texts).at(-1) as string;
        const lines = linesOf({ texts, default_language });
        expect(textsOf(lines)).toEqual({ texts, default_language });
        expect(twiceWritten(lines)).toBeUndefined();
      },
    ),
    { numRuns: rounds(200) },
  );
});

test("a language that is written twice is named, whatever its case", () => {
  expect(twiceWritten("en: One.\nde: Zwei.\nEN: Three.")).toBe("en");
  expect(twiceWritten("en: One.\n  en: more of it")).toBeUndefined();
});
