import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeSender } from "./mail-authenticity.ts";

const ANN = "ann@clinic.example";
const verdict = (spf: string | null, dkim: string | null, envelope_from: string | null = ANN) =>
  judgeSender(ANN, { envelope_from, spf, dkim }).verdict;

test.each([
  ["pass", null, ANN, "proven"],
  ["pass", "none", "bounce@mail.clinic.example", "proven"],
  ["Pass", "none", ANN, "proven"],
  ["fail", "{@clinic.example : pass}", "x@list.example", "proven"],
  ["none", "{@other.example : fail, @mail.clinic.example : pass}", null, "proven"],
  // Somebody's own domain vouches for somebody else's name.
  ["pass", "none", "eve@evil.example", "unproven"],
  ["pass", "{@evil.example : pass}", "eve@evil.example", "unproven"],
  ["pass", "{@clinic.example : fail}", "eve@evil.example", "unproven"],
  ["pass", "{@notclinic.example : pass}", "eve@notclinic.example", "unproven"],
  ["pass", "{@example : pass}", "eve@example", "unproven"],
  ["pass", "none", "", "unproven"],
  ["softfail", "none", ANN, "unproven"],
  ["none", "none", ANN, "unproven"],
  ["fail", null, ANN, "unproven"],
  [null, "{@clinic.example : fail}", ANN, "unproven"],
  [null, null, ANN, "unchecked"],
  ["", "", ANN, "unchecked"],
])("SPF %j and DKIM %j, sent from %j: %s", (spf, dkim, envelope_from, expected) => {
  expect(verdict(spf, dkim, envelope_from)).toBe(expected);
});

test("nothing is proven that no check passed for, whatever is said", () => {
  const words = fc.string().map((text) => text.replaceAll(/pass/gi, ""));
  fc.assert(
    fc.property(words, words, (spf, dkim) => {
      expect(verdict(spf, dkim)).not.toBe("proven");
    }),
  );
});

test("what is kept is fit for the database", () => {
  const { spf, dkim } = judgeSender(ANN, { envelope_from: null, spf: "pa\0ss", dkim: "x".repeat(9000) });
  expect(spf).not.toContain("\0");
  expect(dkim).toHaveLength(500);
});
