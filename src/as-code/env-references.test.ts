// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the references under test
import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeReferences, hideValues, referenceTo, resolveReferences } from "./env-references.ts";

const text = fc
  .array(fc.constantFrom("$", "{", "}", "env:", "A", referenceTo("A"), "x", "${env:", "-"), { maxLength: 12 })
  .map((parts) => parts.join(""));

test("whatever a text is, what an export writes of it is read as the same text, and no variable is asked for", () => {
  fc.assert(
    fc.property(text, (value) => {
      const read = resolveReferences(escapeReferences({ a: [value] }), () => "planted");
      expect(read).toEqual({ value: { a: [value] }, missing: [], malformed: [], used: [] });
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
  expect(read.used).toEqual([{ path: ["url"], value: "example.com", reference: referenceTo("HOST") }]);
  expect(hideValues({ list: ["at example.com"] }, read.used)).toEqual({
    list: [`at ${referenceTo("HOST")}`],
  });
});

test("a malformed reference is reported with its place; plain text after a second $ is not", () => {
  const read = resolveReferences(
    { token: "${env:CRM-TOKEN}", url: ["x ${env:HOST", "$${env:plain text}"] },
    () => "planted",
  );
  expect(read.malformed).toEqual([
    { path: ["token"], written: "${env:CRM-TOKEN}" },
    { path: ["url", 0], written: "${env:HOST" },
  ]);
  expect(read.value).toMatchObject({ url: ["x ${env:HOST", "${env:plain text}"] });
});

test("whatever a value is, no text that is shown holds it, wherever it stands and whatever else is hidden", () => {
  const secret = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 6, maxLength: 20 }),
    fc.constantFrom('abc"def\\ghi', "-----BEGIN KEY-----\nabc\n-----END KEY-----\n", "$&$1.*", "env:A}"),
  );
  const isInAReference = (value: string) => referenceTo("A1B2").includes(value) || value.includes("$");
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), fc.string(), (values, between) => {
      fc.pre(!values.some((value) => value !== "$&$1.*" && isInAReference(value)));
      const used = values.map((value) => ({ value, reference: referenceTo("A1B2") }));
      const hidden = JSON.stringify(hideValues([values.join(between), { text: values.at(-1) }], used));
      for (const value of values) expect(hidden).not.toContain(JSON.stringify(value).slice(1, -1));
    }),
  );
});
