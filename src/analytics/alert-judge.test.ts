import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import {
  ALERT_CONDITIONS,
  alertWords,
  changeAfter,
  figureWords,
  isBeyond,
  neverFires,
} from "./alert-judge.ts";

const LIMIT = { condition: "above", threshold: 0.05, least_sessions: 20 } as const;

test("a rule fires beyond its limit only, and with enough sessions", () => {
  expect(isBeyond(LIMIT, { value: 0.06, sessions: 20, before: null })).toBe(true);
  expect(isBeyond(LIMIT, { value: 0.05, sessions: 20, before: null })).toBe(false);
  expect(isBeyond(LIMIT, { value: 0.9, sessions: 19, before: null })).toBe(false);
  const rises = { ...LIMIT, condition: "rises_by", threshold: 0.5 } as const;
  expect(isBeyond(rises, { value: 16, sessions: 20, before: 10 })).toBe(true);
  expect(isBeyond(rises, { value: 15, sessions: 20, before: 10 })).toBe(false);
  expect(isBeyond(rises, { value: 15, sessions: 20, before: 0 })).toBe(false);
});

const SHARE = { unit: "percent", isCountOfAll: false, canBeNegative: false } as const;
const SESSIONS = { unit: "count", isCountOfAll: true, canBeNegative: false } as const;

test("a rule that could never fire is named at the field to change", () => {
  const field = (more: object, figure: typeof SHARE | typeof SESSIONS) =>
    neverFires({ ...LIMIT, ...more }, figure)?.field ?? null;
  expect(field({ threshold: 5 }, SHARE)).toBe("threshold");
  expect(field({ threshold: 5 }, SESSIONS)).toBe(null);
  expect(field({ condition: "falls_by", threshold: 1 }, SESSIONS)).toBe("threshold");
  expect(field({ condition: "below", threshold: 0 }, SHARE)).toBe("threshold");
  expect(field({ condition: "below", threshold: 10 }, SESSIONS)).toBe("least_sessions");
  expect(field({ condition: "below", threshold: 10, least_sessions: 9 }, SESSIONS)).toBe(null);
  expect(field({ condition: "below", threshold: 0.1 }, SHARE)).toBe(null);
});

test("for any figure that there can be, a rule that is refused so is quiet", () => {
  const limits = fc.record({
    condition: fc.constantFrom(...ALERT_CONDITIONS),
    threshold: fc.constantFrom(0, 0.05, 1, 5, 20, 60),
    least_sessions: fc.constantFrom(0, 5, 20, 60),
  });
  const shares = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(limits, fc.nat({ max: 100 }), shares, shares, (limit, sessions, value, before) => {
      if (neverFires(limit, SHARE)) expect(isBeyond(limit, { value, sessions, before })).toBe(false);
      if (neverFires(limit, SESSIONS))
        expect(isBeyond(limit, { value: sessions, sessions, before: before * 100 })).toBe(false);
    }),
    { numRuns: rounds(500) },
  );
});

test("for any course, a rule is told once when it begins to fire and once when it ends, and never reminds sooner than it says", () => {
  const checks = fc.array(fc.boolean(), { maxLength: 200 });
  fc.assert(
    fc.property(checks, fc.option(fc.integer({ min: 1, max: 24 })), (course, remind_hours) => {
      let state: "ok" | "firing" | null = null;
      let notified_at: string | null = null;
      const told: string[] = [];
      for (const [n, beyond] of course.entries()) {
        const now = new Date(n * 600_000);
        const change = changeAfter({ state, notified_at, remind_hours }, beyond, now);
        if (change === "reminded")
          expect(now.getTime() - Date.parse(notified_at ?? "")).toBeGreaterThanOrEqual(
            (remind_hours ?? 99) * 3_600_000,
          );
        if (change) notified_at = now.toISOString();
        if (change && change !== "reminded") told.push(change);
        state = beyond ? "firing" : "ok";
      }
      const turns = course.filter((beyond, n) => beyond !== (course[n - 1] ?? false));
      expect(told).toEqual(turns.map((beyond) => (beyond ? "firing" : "resolved")));
    }),
    { numRuns: rounds(200) },
  );
});

test("figures are told with their unit", () => {
  expect(figureWords(0.125, "percent")).toBe("12.5 %");
  expect(
    alertWords(
      { ...LIMIT, window_minutes: 60 },
      { value: 0.12, sessions: 40, before: null },
      { label: "Errors", unit: "percent" },
    ),
  ).toBe("Errors: 12 % of 40 sessions in 60 minutes (limit: above 5 %).");
});
