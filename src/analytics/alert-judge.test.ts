import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import {
  ALERT_CONDITIONS,
  type AlertFigure,
  alertWords,
  changeAfter,
  figureWords,
  isBeyond,
  neverFires,
  stateAfter,
} from "./alert-judge.ts";

const LIMIT = { condition: "above", threshold: 0.05, least_sessions: 20 } as const;

const share = (value: number | null, sessions: number, before: number | null = null, sessions_before = 0) =>
  ({ value, sessions, before, sessions_before, isTotal: false }) satisfies AlertFigure;
const total = (sessions: number, before: number): AlertFigure => ({
  value: sessions,
  sessions,
  before,
  sessions_before: before,
  isTotal: true,
});

test("a rule fires beyond its limit only, and too few sessions tell nothing", () => {
  expect(isBeyond(LIMIT, share(0.06, 20))).toBe(true);
  expect(isBeyond(LIMIT, share(0.05, 20))).toBe(false);
  expect(isBeyond(LIMIT, share(0.9, 19))).toBe(null);
  expect(isBeyond(LIMIT, share(0, 19))).toBe(null);
  expect(isBeyond({ ...LIMIT, least_sessions: 0 }, share(null, 0))).toBe(null);
});

test("a comparison needs enough sessions in both windows; of a total in one, so that a fall to nothing fires", () => {
  const rises = { ...LIMIT, condition: "rises_by", threshold: 0.5 } as const;
  expect(isBeyond(rises, share(16, 20, 10, 20))).toBe(true);
  expect(isBeyond(rises, share(15, 20, 10, 20))).toBe(false);
  expect(isBeyond(rises, share(16, 20, 10, 1))).toBe(null);
  expect(isBeyond(rises, share(15, 20, 0, 20))).toBe(null);
  expect(isBeyond(rises, share(0, 20, 0, 20))).toBe(false);
  const falls = { ...LIMIT, condition: "falls_by", threshold: 0.5 } as const;
  expect(isBeyond(falls, total(0, 100))).toBe(true);
  expect(isBeyond(falls, total(60, 100))).toBe(false);
  expect(isBeyond(falls, total(5, 19))).toBe(null);
  expect(isBeyond(falls, share(0.1, 3, 0.9, 100))).toBe(null);
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
      if (neverFires(limit, SHARE))
        expect(isBeyond(limit, share(value, sessions, before, 60))).not.toBe(true);
      if (neverFires(limit, SESSIONS))
        expect(isBeyond(limit, total(sessions, Math.round(before * 100)))).not.toBe(true);
    }),
    { numRuns: rounds(500) },
  );
});

test("for any series of checks, a rule notifies once when it starts to fire and once when it resolves, never resolves on too little data, and never reminds before its interval is over", () => {
  const checks = fc.array(fc.option(fc.boolean()), { maxLength: 200 });
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
        state = stateAfter(state, beyond);
      }
      const known = course.filter((beyond) => beyond !== null);
      const turns = known.filter((beyond, n) => beyond !== (known[n - 1] ?? false));
      expect(told).toEqual(turns.map((beyond) => (beyond ? "firing" : "resolved")));
    }),
    { numRuns: rounds(200) },
  );
});

test("figures have their unit, and too few sessions are said to be too few to tell whether the problem is over", () => {
  expect(figureWords(0.125, "percent")).toBe("12.5 %");
  const words = (figure: AlertFigure) =>
    alertWords({ ...LIMIT, window_minutes: 60 }, figure, {
      label: "Errors",
      unit: "percent",
      of: "sessions",
    });
  const answered = { label: "People who answered", unit: "percent", of: "people" } as const;
  expect(alertWords({ ...LIMIT, window_minutes: 60 }, share(0.5, 20), answered)).toContain(
    "50 % of 20 people in",
  );
  const counted = { label: "Sessions", unit: "count", of: "sessions" } as const;
  expect(alertWords({ ...LIMIT, threshold: 3, window_minutes: 120 }, total(10, 2), counted)).toBe(
    "Sessions: 10 in 120 minutes (limit: above 3). That is too few sessions to tell whether the problem is over.",
  );
  expect(words(share(0.12, 40))).toBe("Errors: 12 % of 40 sessions in 60 minutes (limit: above 5 %).");
  expect(words(share(null, 0))).toBe(
    "Errors: nothing of 0 sessions in 60 minutes (limit: above 5 %). That is too few sessions to tell whether the problem is over.",
  );
});
