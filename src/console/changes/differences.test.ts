import fc from "fast-check";
import { expect, test } from "vitest";
import { differences, showValue } from "./differences.ts";
import { lineChanges } from "./line-changes.ts";

test("a record does not differ from itself", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(differences(value, structuredClone(value))).toEqual([]);
    }),
  );
});

test("each value that changed is told by its path, nothing else", () => {
  const before = { name: "Anna", rules: [{ day: 1 }, { day: 2 }], note: null, kept: { a: 1 } };
  const after = {
    name: "Bea",
    rules: [{ day: 1 }, { day: 3 }],
    note: undefined,
    kept: { a: 1 },
    extra: true,
  };
  expect(differences(before, after)).toEqual([
    { path: "name", before: "Anna", after: "Bea" },
    { path: "rules.1.day", before: 2, after: 3 },
    { path: "extra", before: undefined, after: true },
  ]);
});

test("for a list of texts the review shows which entries were removed and added, not that everything after them moved", () => {
  const [found, ...others] = differences({ days: ["mon", "tue", "wed"] }, { days: ["tue", "wed", "sun"] });
  expect(others).toEqual([]);
  expect(lineChanges(showValue(found?.before), showValue(found?.after))).toEqual([
    { kind: "removed", text: "mon" },
    { kind: "same", text: "tue" },
    { kind: "same", text: "wed" },
    { kind: "added", text: "sun" },
  ]);
});

test("a list that became a record is one difference", () => {
  expect(differences({ a: [1] }, { a: { 0: 1 } })).toEqual([{ path: "a", before: [1], after: { 0: 1 } }]);
});
