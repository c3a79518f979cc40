import { expect, test } from "vitest";
import { claimAhead, createPace } from "./claim-ahead.ts";

test("as many as run at once may wait for slow models, half a second's worth for fast ones, and never more than 256", () => {
  expect(claimAhead(32, 0)).toBe(32);
  expect(claimAhead(32, 16)).toBe(32);
  expect(claimAhead(32, 300)).toBe(150);
  expect(claimAhead(32, 1e9)).toBe(256);
  expect(claimAhead(512, 1e9)).toBe(512);
});

test("a pace is measured over half a second at least, so that many ending together are no pace", () => {
  let now_ms = 0;
  const pace = createPace(() => now_ms);
  for (let n = 0; n < 32; n++) pace.count();
  expect(pace.perSecond()).toBe(0);
  now_ms = 1000;
  expect(pace.perSecond()).toBe(32);
  now_ms = 1100;
  pace.count();
  expect(pace.perSecond()).toBe(32);
  now_ms = 1500;
  expect(pace.perSecond()).toBe(2);
  now_ms = 2000;
  expect(pace.perSecond()).toBe(0);
});
