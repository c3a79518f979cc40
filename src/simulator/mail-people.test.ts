import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { mailPlan } from "./mail-people.ts";

test("whoever has none of the names that say what a mail meets takes it as anybody does", () => {
  const local = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("constructor", "__proto__", "toString"),
  );
  fc.assert(
    fc.property(local, fc.constantFrom("", "ann+"), (word, before) => {
      const { post, steps } = mailPlan(`${before}${word}@example.com`);
      expect(post).toBe("accepted");
      expect(steps.map((step) => "event" in step && step.event)).toEqual(["processed", "delivered"]);
    }),
    { numRuns: rounds(100) },
  );
});
