import { expect, test } from "vitest";
import { retryWait } from "./retry-policy.ts";

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
