import { expect, test } from "vitest";
import { replacedIn } from "./replaced-in.ts";

const before = { id: 1, name: "Reception" };
const after = { id: 1, name: "Front desk" };

test("an object is replaced wherever it stands, and only there", () => {
  const twin = { ...before };
  expect(replacedIn(before, before, after)).toBe(after);
  expect(replacedIn({ agent: { prompt: before, other: twin } }, before, after)).toEqual({
    agent: { prompt: after, other: before },
  });
  expect(replacedIn({ items: [twin, before] }, before, after)).toEqual({ items: [twin, after] });
});

test("what does not hold the object is the same afterwards", () => {
  for (const value of [undefined, null, "a", 1, [1, { a: null }], { items: [{ id: 1 }] }, new Blob(["x"])])
    expect(replacedIn(value, before, after)).toBe(value);
});
