import { expect, test } from "vitest";
import { parseJsonBody } from "./body.ts";

test("a number that would lose digits, or all of itself, is refused at its place, and one that keeps them is read", () => {
  const kept =
    '{"a": [9007199254740991, -9007199254740992, 10000000000000000000, -42744402967261930], "b": 0.12345678901234567, "c": "12345678901234567890"}';
  expect(parseJsonBody(kept)).toEqual(JSON.parse(kept));
  for (const digits of ["9007199254740993", "-12345678901234567890", "9".repeat(400), "1e400", "-1.5E+999"])
    expect(() => parseJsonBody(`{"defaults": {"account": [1, ${digits}]}}`)).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ loc: ["body", "defaults", "account", 1], type: "int_precision" })],
      }),
    );
});

test.each([
  ['{"a": True}', 6],
  ['{"a\\" NaN": [1, NaN]}', 16],
  ["{'a': 1}", 1],
  ["<html>", 0],
  ['{"a": 1,}', 8],
])("a body that is no JSON is refused with the place where it ceases to be: %s", (text, at) => {
  expect(() => parseJsonBody(text)).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ loc: ["body", at] })] }),
  );
});
