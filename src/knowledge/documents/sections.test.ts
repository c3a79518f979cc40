import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { chunksOfSections, documentTitle, sectionsOf } from "./sections.ts";

test("a title or heading that is too long ends with a whole character", () => {
  const signs = [..."aé語", "👩‍👩‍👧", "🦷", "e\u0301"];
  const long = fc.array(fc.constantFrom(...signs), { minLength: 195, maxLength: 300 });
  fc.assert(
    fc.property(long, long, (first, second) => {
      const whole = new Set(["", ...signs, " ", "›"].map((sign) => sign.normalize()));
      const segments = (text: string) => [...new Intl.Segmenter().segment(text)].map((one) => one.segment);
      const areWhole = (text: string) => segments(text.normalize()).every((sign) => whole.has(sign));
      const title = documentTitle(first.join(""));
      expect(areWhole(title ?? "�")).toBe(true);
      const blocks = [
        { heading: first.join(""), level: 1 },
        { heading: second.join(""), level: 2 },
        { heading: first.toReversed().join(""), level: 3 },
        { text: "80 euros" },
      ];
      for (const { heading } of chunksOfSections(sectionsOf(blocks), title))
        expect(areWhole(heading ?? "�")).toBe(true);
    }),
    { numRuns: rounds(50) },
  );
});
