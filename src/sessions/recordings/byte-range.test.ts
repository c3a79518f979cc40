import fc from "fast-check";
import { expect, test } from "vitest";
import { parseByteRange } from "./byte-range.ts";

test.each([
  [undefined, { kind: "whole" }],
  ["bytes=0-", { kind: "part", start: 0, end: 99 }],
  ["bytes=0-0", { kind: "part", start: 0, end: 0 }],
  ["bytes=10-19", { kind: "part", start: 10, end: 19 }],
  ["bytes=90-1000", { kind: "part", start: 90, end: 99 }],
  ["bytes=-10", { kind: "part", start: 90, end: 99 }],
  ["bytes=-1000", { kind: "part", start: 0, end: 99 }],
  ["bytes=-0", { kind: "unsatisfiable" }],
  ["bytes=100-", { kind: "unsatisfiable" }],
  ["bytes=5-4", { kind: "whole" }],
  ["bytes=0-1,5-6", { kind: "whole" }],
  ["items=0-1", { kind: "whole" }],
  ["bytes=-", { kind: "whole" }],
])("of 100 bytes, %j asks for %j", (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range);
});

test("a part never reaches beyond the file, whatever is asked for", () => {
  const end = fc.option(fc.nat(500), { nil: "" });
  fc.assert(
    fc.property(fc.nat(300), end, end, (size, first, last) => {
      const range = parseByteRange(`bytes=${first}-${last}`, size);
      if (range.kind !== "part") return;
      expect(range.start).toBeLessThanOrEqual(range.end);
      expect(range.end).toBeLessThan(size);
    }),
  );
});

test("an empty file has no part", () => {
  expect(parseByteRange("bytes=0-", 0)).toEqual({ kind: "unsatisfiable" });
  expect(parseByteRange(undefined, 0)).toEqual({ kind: "whole" });
});
