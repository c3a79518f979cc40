import { expect, test } from "vitest";
import { retryAfter, retryWait } from "./retry-policy.ts";

test("a service that stumbled is tried twice more, what can't succeed not at all", () => {
  expect([1, 2, 3].map((tries) => retryWait({ when: "later" }, tries))).toEqual([30_000, 300_000, null]);
  expect(retryWait({ when: "never" }, 1)).toBeNull();
});

test("a service that lets nobody in is asked again for more than an hour, and as late as it asks for", () => {
  const waits = Array.from({ length: 11 }, (_, index) =>
    retryWait({ when: "allowed", retry_after_ms: null }, index + 1),
  );
  expect(waits.every((wait) => wait !== null)).toBe(true);
  expect(waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0)).toBeGreaterThan(3_600_000);
  expect(retryWait({ when: "allowed", retry_after_ms: null }, 12)).toBeNull();
  expect(retryWait({ when: "allowed", retry_after_ms: 120_000 }, 1)).toBe(120_000);
  expect(retryWait({ when: "allowed", retry_after_ms: 1_000 }, 1)).toBe(15_000);
  expect(retryWait({ when: "allowed", retry_after_ms: 9e9 }, 1)).toBe(3_600_000);
});

test("a wait is read in seconds, in milliseconds and as a date, by the service's own clock", () => {
  const allowed = (retry_after_ms: number | null) => ({ when: "allowed", retry_after_ms });
  expect(retryAfter(429, {})).toEqual(allowed(null));
  expect(retryAfter(429, { "retry-after": "120" })).toEqual(allowed(120_000));
  expect(retryAfter(429, { "retry-after-ms": "1500" })).toEqual(allowed(1500));
  const dates = { date: "Wed, 21 Oct 2026 07:28:00 GMT", "retry-after": "Wed, 21 Oct 2026 07:30:00 GMT" };
  expect(retryAfter(429, dates)).toEqual(allowed(120_000));
  expect(retryAfter(503, dates)).toEqual(allowed(120_000));
  expect(retryAfter(503, {})).toEqual({ when: "later" });
  expect(retryAfter(404, { "retry-after": "120" })).toEqual({ when: "never" });
});
