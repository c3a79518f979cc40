import fc from "fast-check";
import { expect, test } from "vitest";
import { storableJson } from "./storable.ts";

test("no text or key keeps what PostgreSQL refuses, and a value without any stays itself", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const stored = storableJson(value);
      expect(storableJson(stored)).toBe(stored);
      expect(JSON.stringify(stored)?.replaceAll("\\\\", "")).not.toMatch(/\\u(0000|d[89a-f])/);
    }),
  );
  expect(storableJson({ "a\0": ["x\ud800y", "😀", "\\u0000", 1, null] })).toEqual({
    a: ["x\ufffdy", "😀", "\\u0000", 1, null],
  });
});
