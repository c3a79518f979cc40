import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeReferences, hideValues, referenceTo, resolveReferences } from "./env-references.ts";

const text = fc
  .array(fc.constantFrom("$", "{", "}", "env:", "A", referenceTo("A"), "x"), { maxLength: 12 })
  .map((parts) => parts.join(""));

test("whatever a text is, what an export writes of it is read as the same text, and no variable is asked for", () => {
  fc.assert(
    fc.property(text, (value) => {
      const read = resolveReferences(escapeReferences({ a: [value] }), () => "planted");
      expect(read).toEqual({ value: { a: [value] }, missing: [], used: new Map() });
    }),
  );
});

test("a reference is replaced wherever it stands, and one without a value is told with its place", () => {
  const read = resolveReferences(
    { url: `https://${referenceTo("HOST")}/x`, list: [referenceTo("NO")] },
    (name) => (name === "HOST" ? "example.com" : undefined),
  );
  expect(read.value).toEqual({ url: "https://example.com/x", list: [referenceTo("NO")] });
  expect(read.missing).toEqual([{ path: ["list", 0], name: "NO" }]);
  expect(hideValues("at example.com", read.used)).toBe(`at ${referenceTo("HOST")}`);
});
