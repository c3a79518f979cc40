import fc from "fast-check";
import { expect, test } from "vitest";
import { readText, textOf } from "./json-text.ts";

test("a value that was not edited reads back as it was, also a text that looks like JSON", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.constantFrom("12", "true", '"a"', "", "no")), (value) => {
      const read = readText(textOf(value));
      expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    }),
  );
});
