import fc from "fast-check";
import { expect, test } from "vitest";
import { type LineChange, lineChanges, sideBySide, stretches } from "./line-changes.ts";

const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 }).map((lines) => lines.join("\n"));
const join = (changes: LineChange[], without: LineChange["kind"]) =>
  changes
    .filter(({ kind }) => kind !== without)
    .map((change) => change.text)
    .join("\n");

test("without what was added a comparison is the old text, without what was removed the new one", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = lineChanges(before, after);
      expect(join(changes, "added")).toBe(before);
      expect(join(changes, "removed")).toBe(after);
    }),
  );
});

test("lines that stand in both texts stay", () => {
  expect(lineChanges("a\nb\nc\nd", "a\nc\nx\nd").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "same a",
    "removed b",
    "same c",
    "added x",
    "same d",
  ]);
});

test("side by side each column reads as its own text, and a line that stayed stands beside itself", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pairs = sideBySide(lineChanges(before, after));
      const column = (side: "before" | "after") =>
        pairs.flatMap((pair) => (pair[side] ? [pair[side].text] : [])).join("\n");
      expect(column("before")).toBe(before);
      expect(column("after")).toBe(after);
      for (const pair of pairs) {
        expect(pair.before ?? pair.after).not.toBeNull();
        if (pair.before?.kind === "same") expect(pair.after).toEqual(pair.before);
      }
    }),
  );
});

test("a change stands with three lines around it, and the long stretches that stay the same are folded", () => {
  const lines = Array.from({ length: 100 }, (_, at) => at);
  const fold = (...changed: number[]) =>
    stretches(lines, (line) => !changed.includes(line)).map(({ from, lines: part, isFolded }) =>
      [from, from + part.length - 1, isFolded ? "folded" : "shown"].join(" "),
    );
  expect(fold(99)).toEqual(["0 95 folded", "96 99 shown"]);
  expect(fold(0)).toEqual(["0 3 shown", "4 99 folded"]);
  expect(fold(10, 20, 90)).toEqual([
    "0 6 folded",
    // Of what stands between two changes three lines would be left.
    "7 23 shown",
    "24 86 folded",
    "87 93 shown",
    "94 99 folded",
  ]);
});
