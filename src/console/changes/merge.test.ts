import fc from "fast-check";
import { expect, test } from "vitest";
import { conflicts, mergeChanges } from "./merge.ts";

const value = fc.oneof(fc.constantFrom("", "a", "b"), fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }));
const record = fc.record({ name: value, text: value, tools: value });

test("each field is what its one changer made of it; what both changed stays mine and is told", () => {
  fc.assert(
    fc.property(record, record, record, (began, mine, theirs) => {
      const merged = mergeChanges(began, mine, theirs);
      const both = conflicts(began, mine, theirs);
      for (const name of ["name", "text", "tools"] as const) {
        const [was, own, other] = [began, mine, theirs].map((each) => JSON.stringify(each[name]));
        expect(JSON.stringify(merged[name])).toBe(own === was ? other : own);
        expect(both.includes(name)).toBe(own !== was && other !== was && own !== other);
      }
    }),
  );
});

test("null and nothing are no change of anybody", () => {
  const began: { name: string; label?: string | null } = { name: "a", label: null };
  const theirs = { name: "b", label: "theirs" };
  expect(mergeChanges(began, { name: "a", label: undefined } as unknown as typeof theirs, theirs)).toEqual(
    theirs,
  );
  expect(conflicts(began, { name: "a" }, theirs)).toEqual([]);
});

test("fields that make sense only with each other are taken from one side, never mixed", () => {
  const began = { urls: ["a"], secrets: ["keep"], name: "n" };
  const mine = { ...began, secrets: ["new"] };
  const theirs = { urls: ["b", "a"], secrets: ["keep", "keep"], name: "theirs" };
  const together = [["urls", "secrets"]];
  expect(mergeChanges(began, mine, theirs, together)).toEqual({
    urls: ["a"],
    secrets: ["new"],
    name: "theirs",
  });
  expect(conflicts(began, mine, theirs, together)).toEqual(["urls", "secrets"]);
});
