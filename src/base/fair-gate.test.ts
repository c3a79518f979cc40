import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { atTheirShare, createFairGate } from "./fair-gate.ts";

const PATIENCE_MS = 60_000;
/** Whoever still waits when a test is over would be refused in the midst of another. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());
const enter = (gate: ReturnType<typeof createFairGate>, key: string) => gate.enter(key, PATIENCE_MS, "Full.");
/** Everything that could go on at once has. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("one who asks for all places gets half of them, and another finds one at once", async () => {
  const gate = createFairGate(8);
  let greedy = 0;
  for (let n = 0; n < 20; n++) enter(gate, "greedy").then(() => greedy++);
  await settled();
  expect(greedy).toBe(4);
  await enter(gate, "other");
  await enter(gate, "third");
});

test("those who wait are let in one of each in turn, not in the order in which they came", async () => {
  const gate = createFairGate(1);
  const leave = await enter(gate, "first");
  const order: string[] = [];
  const leaves: (() => void)[] = [];
  for (const key of ["a", "a", "a", "b", "c"])
    enter(gate, key).then((done) => {
      order.push(key);
      leaves.push(done);
    });
  leave();
  for (let n = 0; n < 5; n++) {
    await settled();
    leaves.shift()?.();
  }
  expect(order).toEqual(["a", "b", "c", "a", "a"]);
});

test("who waits too long is told to come back, and holds nothing up", async () => {
  const gate = createFairGate(1);
  const leave = await enter(gate, "first");
  const late = expect(gate.enter("late", 1, "Full.")).rejects.toMatchObject({
    kind: "too-many",
    retry_after_s: 5,
  });
  await vi.advanceTimersByTimeAsync(1);
  await late;
  leave();
  leave();
  (await enter(gate, "next"))();
  await enter(gate, "last");
});

test("who waits too long leaves the others of the same key in line", async () => {
  const gate = createFairGate(1);
  const leave = await enter(gate, "first");
  const late = expect(gate.enter("a", 1, "Full.")).rejects.toMatchObject({ kind: "too-many" });
  let isIn = false;
  enter(gate, "a").then(() => {
    isIn = true;
  });
  await vi.advanceTimersByTimeAsync(1);
  await late;
  expect(isIn).toBe(false);
  leave();
  await settled();
  expect(isIn).toBe(true);
});

test("a place that is free is taken by somebody who waits, and nobody holds more than were free to take", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), leave: fc.boolean() }), { maxLength: 60 }),
      async (places, moves) => {
        const gate = createFairGate(places);
        const held = new Map<string, (() => void)[]>();
        let asked = 0;
        let given = 0;
        for (const { key, leave } of moves) {
          if (leave) {
            held.get(key)?.shift()?.();
          } else {
            asked++;
            enter(gate, key).then((done) => {
              given++;
              held.set(key, [...(held.get(key) ?? []), done]);
            });
          }
          await settled();
          const counts = new Map([...held].map(([one, leaves]) => [one, leaves.length]));
          const taken = [...counts.values()].reduce((sum, n) => sum + n, 0);
          expect(taken).toBeLessThanOrEqual(places);
          for (const n of counts.values()) expect(n).toBeLessThanOrEqual(Math.ceil(places / 2));
          if (taken === 0) expect(given).toBe(asked);
        }
      },
    ),
    { numRuns: rounds(60) },
  );
});

test("those at their share are told by how much is free", () => {
  expect(atTheirShare(new Map([["a", 5]]), 10)).toEqual(["a"]);
  expect(atTheirShare(new Map([["a", 4]]), 10)).toEqual([]);
  expect(
    atTheirShare(
      new Map([
        ["a", 5],
        ["b", 2],
      ]),
      10,
    ),
  ).toEqual(["a"]);
});
