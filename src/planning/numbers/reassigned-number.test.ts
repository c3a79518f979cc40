import fc from "fast-check";
import { expect, test } from "vitest";
import { type KnownReassignment, numberCheck, reassignedIssue, sinceDate } from "./reassigned-number.ts";

const NOW = new Date("2026-11-23T15:00:00Z");
const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
const known = (answer: KnownReassignment["answer"], since: string, age_ms = 0): KnownReassignment => ({
  since,
  answer,
  error_code: null,
  at: new Date(NOW.getTime() - age_ms),
});
const check = (date: string, of: KnownReassignment | null) => numberCheck({ date }, of, NOW);

test("the consent's day is asked about, else the column's, and what is no day is said and not asked", () => {
  expect(sinceDate("2026-03-01", { last_verified: "2026-05-01" }, NOW)).toEqual({ date: "2026-03-01" });
  expect(sinceDate("2027-01-01", {}, NOW)).toEqual({ date: "2026-11-23" });
  expect(sinceDate(null, { last_verified: " 2026-05-01 " }, NOW)).toEqual({ date: "2026-05-01" });
  expect(sinceDate(null, { "vars.last_verified": "2026-05-01" }, NOW)).toEqual({ date: "2026-05-01" });
  for (const last_verified of ["05/01/2026", "2026-02-30", "2026-5-1", "2026-11-24"])
    expect(sinceDate(null, { last_verified }, NOW).date).toBeNull();
  expect(numberCheck(sinceDate(null, {}, NOW), null, NOW)).toEqual({
    kind: "not-asked",
    text: "The carrier is not asked whether the number was given to somebody else: there is neither a consent on record nor a column last_verified.",
  });
});

test("for all days: a kept answer is used for another day only where it follows for that day", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 300 }),
      fc.option(fc.integer({ min: 0, max: 300 })),
      (asked, other, given_on) => {
        // What a truthful carrier says of a number that was given to somebody else on one day, or never was.
        const truth = (since: number) => (given_on !== null && given_on > since ? "yes" : "no");
        const found = check(day(other), known(truth(asked), day(asked)));
        if (found.kind === "answered") expect(found.answer).toBe(truth(other));
        else expect(found.kind).toBe("to-ask");
        if (asked === other) expect(found.kind).toBe("answered");
      },
    ),
  );
});

test("a number that was given to somebody else is skipped, and nobody is reached before the carrier has answered", () => {
  expect(reassignedIssue(check("2026-01-02", known("yes", "2026-01-02")))).toEqual({
    kind: "reassigned",
    status: "CANCELED",
    text: "Skipped: the number was given to somebody else since 2026-01-02, says the carrier.",
  });
  expect(reassignedIssue(check("2026-01-02", null))).toMatchObject({ kind: "lookup" });
  expect(reassignedIssue(check("2026-01-02", known("failed", "2026-01-02")))).toMatchObject({
    kind: "lookup",
  });
  for (const answer of ["no", "unknown", "not-offered"] as const)
    expect(reassignedIssue(check("2026-01-02", known(answer, "2026-01-02")))).toBeNull();
});

test('a "no" is used for 24 hours, and a failure is asked again after a minute', () => {
  const hours = (n: number) => n * 3600_000;
  expect(check(day(1), known("no", day(1), hours(24) - 1)).kind).toBe("answered");
  expect(check(day(1), known("no", day(1), hours(24))).kind).toBe("to-ask");
  expect(check(day(1), known("yes", day(1), hours(24 * 29))).kind).toBe("answered");
  expect(check(day(1), known("failed", day(1), 59_999)).kind).toBe("failed");
  expect(check(day(1), known("failed", day(1), 60_000)).kind).toBe("to-ask");
});
