import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { valueOfSchema } from "./scripted-output.ts";
import { shortened } from "./scripted-words.ts";

const said = fc.string({
  unit: fc.constantFrom(..."ab é電", " ", "🦷", "👩‍👩‍👧", "e\u0301"),
  minLength: 1,
  maxLength: 300,
});

test("a text that is shortened is its beginning, no longer than wanted, and ends with a whole character", () => {
  const signs = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  fc.assert(
    fc.property(said, fc.integer({ min: 40, max: 200 }), (text, length) => {
      const line = text.replaceAll(/\s+/g, " ").trim();
      const short = shortened(text, length);
      expect(short.length).toBeLessThanOrEqual(length + 1);
      if (short === line) return;
      const begin = signs(short.slice(0, -1));
      expect(signs(line).slice(0, begin.length)).toEqual(begin);
      const schema = { type: "string", maxLength: length };
      const value = valueOfSchema(schema, [{ role: "user", text }]) as string;
      expect(value.isWellFormed() && value.length <= length).toBe(true);
    }),
    { numRuns: rounds(200) },
  );
});
