import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { rounds } from "../../test/harness/seed.ts";
import { addressMarks, mayHold, soughtParts } from "./address-marks.ts";

const KEY = { id: 7, key: randomBytes(32) };
const KEYS = new Map([[7, KEY.key]]);

const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: least, maxLength: most });
const address = fc.oneof(
  digits(6, 15).map((number) => `+${number}`),
  digits(10, 10).map((n) => `(${n.slice(0, 3)}) ${n.slice(3, 6)}-${n.slice(6)}`),
  fc
    .tuple(
      fc.string({ unit: fc.constantFrom(..."aB.é1_"), minLength: 1, maxLength: 5 }),
      fc.constantFrom("x.io", "b", "Example.com"),
    )
    .map(([name, domain]) => `${name}@${domain}`),
  fc.string({ minLength: 6, maxLength: 12 }),
);
const text = fc.oneof(
  fc.string({ unit: CODE_POINT, maxLength: 40 }),
  digits(0, 12),
  fc.constantFrom("@", "a@", "İ@", '"', "\\"),
);

test("a document that quotes an address, anywhere and in any case, is always among those to be read", () => {
  fc.assert(
    fc.property(address, text, text, fc.boolean(), (quoted, before, after, isUpper) => {
      const sought = soughtParts(quoted);
      const said = `${before}${isUpper ? quoted.toUpperCase() : quoted}${after}`;
      const json = JSON.stringify({ person: [said] });
      if (sought.length === 0 || !json.toLowerCase().includes(quoted.toLowerCase())) return;
      expect(mayHold(addressMarks(KEY, json), [sought], KEYS)).toBe(true);
    }),
    { numRuns: rounds(2_000) },
  );
});

test("of documents about others nearly none is read", () => {
  const documents = Array.from({ length: 5_000 }, (_, n) =>
    addressMarks(KEY, JSON.stringify({ n, said: `call +1512${String(n).padStart(7, "0")}` })),
  );
  const read = documents.filter((marks) => mayHold(marks, [soughtParts("+15120009999")], KEYS));
  expect(read.length).toBeLessThan(5);
});

test("two documents that quote the same people have no mark in common, and as many as others", () => {
  const json = JSON.stringify("+15125550142 and ann@example.com");
  const marks = [1, 2].map(() => {
    const bytes = addressMarks(KEY, json).subarray(16);
    return Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readUInt32BE(n * 4));
  }) as [number[], number[]];
  expect(marks[0].filter((mark) => marks[1].includes(mark))).toEqual([]);
  expect(addressMarks(KEY, "no number").length).toBe(addressMarks(KEY, json).length);
});

test("a document of a key that is not known here is read", () => {
  expect(mayHold(addressMarks({ id: 8, key: randomBytes(32) }, "{}"), [["5550142"]], KEYS)).toBe(true);
});
