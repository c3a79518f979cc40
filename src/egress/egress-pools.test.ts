import { expect, onTestFinished, test } from "vitest";
import { createPinnedPools } from "./egress-pools.ts";

function openPools() {
  const pools = createPinnedPools();
  onTestFinished(() => pools.close());
  return pools;
}
const at = (...addresses: string[]) => ({ kind: "addresses", addresses }) as const;
const ORIGIN = "https://tools.example:443";

test("connections are shared by calls to one origin at the same addresses, in any order, and by no others", () => {
  const pools = openPools();
  const pool = pools.get(ORIGIN, at("192.0.2.1", "192.0.2.2"));
  expect(pools.get(ORIGIN, at("192.0.2.2", "192.0.2.1"))).toBe(pool);
  expect(pools.get(ORIGIN, at("192.0.2.1"))).not.toBe(pool);
  expect(pools.get("https://other.example:443", at("192.0.2.1", "192.0.2.2"))).not.toBe(pool);
  expect(pools.get(ORIGIN, { kind: "fixed", host: "192.0.2.1", port: 443 })).not.toBe(pool);
});

test("the pool unused for longest gives way when there are 256", () => {
  const pools = openPools();
  const [kept, dropped] = [pools.get(ORIGIN, at("192.0.2.1")), pools.get(ORIGIN, at("192.0.2.2"))];
  for (let i = 0; i < 254; i++) pools.get(ORIGIN, at(`198.51.100.${i}`));
  expect(pools.get(ORIGIN, at("192.0.2.1"))).toBe(kept);
  pools.get(ORIGIN, at("203.0.113.1"));
  expect(dropped.closed).toBe(true);
  expect(kept.closed).toBe(false);
  expect(pools.get(ORIGIN, at("192.0.2.2"))).not.toBe(dropped);
});
