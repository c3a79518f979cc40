import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EgressOutcome } from "../egress/egress.ts";
import { isUnresponsive, JITTER, judgeTry, RETRY_AFTER_s, retryAfter_s } from "./delivery-verdict.ts";

const NOW = new Date("2026-11-18T12:00:00Z");
const TRIES = RETRY_AFTER_s.length + 1;
const middle = () => 0.5;
const answered = (status: number, headers: Record<string, string> = {}): EgressOutcome => ({
  kind: "response",
  status,
  headers,
  duration_ms: 5,
  body: Buffer.alloc(0),
  truncated: false,
});
const redirect: EgressOutcome = {
  kind: "redirect",
  status: 307,
  headers: {},
  duration_ms: 5,
  location: "https://x",
};
const timeout: EgressOutcome = { kind: "timeout", after_ms: 10_000 };
const reset: EgressOutcome = {
  kind: "failed",
  reason: "x.example refused the connection",
  connection_reset: true,
  nothing_sent: false,
};
const refused: EgressOutcome = { kind: "refused", reason: "address 10.0.0.1 is private" };

describe("a try", () => {
  test.each([200, 201, 202, 204, 299])("answered %i is delivered", (status) => {
    expect(judgeTry(answered(status), 0, NOW, middle)).toEqual({ kind: "delivered" });
  });

  test.each<[string, EgressOutcome, string]>([
    ["400", answered(400), "The receiver answered 400."],
    ["500", answered(500), "The receiver answered 500."],
    [
      "redirected",
      redirect,
      "The receiver answered 307: redirects are not followed. Give the webhook the URL it leads to.",
    ],
    ["timed out", timeout, "The receiver had not answered after 10 s."],
    ["cut off", reset, "The exchange failed: x.example refused the connection."],
    ["refused", refused, "Nothing was sent: address 10.0.0.1 is private."],
  ])("%s is tried again, and says why", (_name, outcome, failure) => {
    expect(judgeTry(outcome, 0, NOW, middle)).toEqual({
      kind: "retry",
      at: new Date(NOW.getTime() + 5_000),
      failure,
    });
    expect(judgeTry(outcome, TRIES - 1, NOW, middle)).toEqual({ kind: "exhausted", failure });
  });

  test("answered 410 ends it, at whatever try", () => {
    for (const tries of [0, 5, TRIES - 1]) {
      expect(judgeTry(answered(410), tries, NOW, middle).kind).toBe("gone");
    }
  });
});

test("the schedule is the one of Standard Webhooks: ten tries over 75 h 35 min 5 s", () => {
  expect(RETRY_AFTER_s.reduce((sum, wait) => sum + wait, 0)).toBe(75 * 3600 + 35 * 60 + 5);
  expect(TRIES).toBe(10);
});

test("every wait is the schedule's, give or take a fifth", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: RETRY_AFTER_s.length - 1 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (tries, chance) => {
        const verdict = judgeTry(answered(500), tries, NOW, () => chance);
        if (verdict.kind !== "retry") throw new Error(verdict.kind);
        const wait_s = (verdict.at.getTime() - NOW.getTime()) / 1000;
        const due_s = RETRY_AFTER_s[tries]!;
        expect(wait_s).toBeGreaterThanOrEqual(due_s * (1 - JITTER) - 0.001);
        expect(wait_s).toBeLessThanOrEqual(due_s * (1 + JITTER) + 0.001);
      },
    ),
  );
});

describe("Retry-After", () => {
  test.each([
    ["120", 120],
    [" 7 ", 7],
    ["0", 0],
    ["Wed, 18 Nov 2026 12:01:30 GMT", 90],
    ["Wed, 18 Nov 2026 11:00:00 GMT", 0],
    ["999999999", 86_400],
    ["Fri, 31 Dec 9999 00:00:00 GMT", 86_400],
    ["soon", 0],
    ["-5", 0],
    ["", 0],
    [undefined, 0],
  ])("%j asks for %i seconds", (value, seconds) => expect(retryAfter_s(value, NOW)).toBe(seconds));

  test("makes a wait longer, never shorter", () => {
    const waitFor = (tries: number, value: string) => {
      const verdict = judgeTry(answered(429, { "retry-after": value }), tries, NOW, middle);
      return verdict.kind === "retry" ? (verdict.at.getTime() - NOW.getTime()) / 1000 : null;
    };
    expect(waitFor(0, "60")).toBe(60);
    expect(waitFor(1, "60")).toBe(300);
    expect(waitFor(0, "100000000")).toBe(86_400);
  });
});

test("overload and silence are unresponsive; a message that is not liked is not", () => {
  expect([answered(429), answered(500), answered(503), timeout, reset].every(isUnresponsive)).toBe(true);
  expect([answered(200), answered(404), answered(400), redirect, refused].some(isUnresponsive)).toBe(false);
});
