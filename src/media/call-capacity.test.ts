import fc from "fast-check";
import { expect, test } from "vitest";
import { movedClock } from "../base/clock.ts";
import { CallCapacity, mostCalls } from "./call-capacity.ts";

const START = "2026-11-02T10:00:00Z";

test("never more new calls than there is room for, however calls are answered, opened and ended", () => {
  const step = fc.record({
    what: fc.constantFrom("admit", "open", "open_ours", "close", "forget", "wait"),
    call: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.nat(4), fc.array(step), (most, steps) => {
      const clock = movedClock(START);
      const capacity = new CallCapacity(most, clock);
      const admitted = new Set<number>();
      const open = new Set<number>();
      for (const { what, call } of steps) {
        if (what === "wait") {
          clock.advance(15_000);
          admitted.clear();
        } else if (what === "admit" && !open.has(call)) {
          const hasRoom = admitted.has(call) || admitted.size + open.size < most;
          expect(capacity.admit(`CA${call}`)).toBe(hasRoom);
          if (hasRoom) admitted.add(call);
        } else if (what === "open_ours" || (what === "open" && admitted.has(call))) {
          capacity.opened(call, `CA${call}`);
          admitted.delete(call);
          open.add(call);
        } else if (what === "close") {
          capacity.closed(call);
          open.delete(call);
        } else if (what === "forget") {
          capacity.forget(`CA${call}`);
          admitted.delete(call);
        }
        expect(capacity.running).toBe(admitted.size + open.size);
      }
    }),
  );
});

test("a call that is asked for again has its place already", () => {
  const capacity = new CallCapacity(1, movedClock(START));
  expect(["CA1", "CA1", "CA2"].map((sid) => capacity.admit(sid))).toEqual([true, true, false]);
});

test("without a setting, the bound comes from the cores, and the offline engines get fewer calls", () => {
  expect([1, 2, 8].map((cores) => mostCalls(false, cores))).toEqual([25, 50, 100]);
  expect([1, 2, 8].map((cores) => mostCalls(true, cores))).toEqual([6, 12, 12]);
});
