import fc from "fast-check";
import { expect, test } from "vitest";
import { cutTo, storableJson } from "./storable.ts";

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

test.each([
  ["a family", "Hi 👨‍👩‍👧‍👦!"],
  ["a flag", "Hi 🇩🇪!"],
  ["a skin", "Hi 👋🏽!"],
  ["a letter with its sign", "Hi कि!"],
  ["an accent", "Hi e\u0301!"],
])("a text is not cut within %s", (_, text) => {
  const cuts = Array.from({ length: text.length + 1 }, (_, most) => cutTo(text, most));
  expect([...new Set(cuts)]).toEqual(["", "H", "Hi", "Hi ", text.slice(0, -1), text]);
});

test("a character without end is cut, but not between the halves of a pair", () => {
  const text = `😀${"\u0301".repeat(100)}😀`;
  expect(cutTo(text, 50)).toHaveLength(50);
  expect(cutTo(text, 1)).toBe("");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(50), (given, most) => {
      const cut = cutTo(given, most);
      expect(given.startsWith(cut) && cut.length <= most && cut.isWellFormed()).toBe(true);
    }),
  );
});
