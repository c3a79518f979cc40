import fc from "fast-check";
import { expect, test } from "vitest";
import { createGates, FIRST_ROOM, MOST_TO_ONE } from "./delivery-gate.ts";

const at = (ms: number) => new Date(Date.UTC(2026, 10, 18) + ms);
const roomOf = (gates: ReturnType<typeof createGates>, now: Date) =>
  gates.rooms(now).find(({ webhook_id }) => webhook_id === 1)?.room ?? FIRST_ROOM;

/** Sends as much as there is room for; all of it ends alike. */
function round(gates: ReturnType<typeof createGates>, responsive: boolean, now: Date): number {
  const room = roomOf(gates, now);
  for (let n = 0; n < room; n++) gates.began(1);
  for (let n = 0; n < room; n++) gates.ended(1, responsive, now);
  return room;
}

test("a receiver that accepts is sent ever more at once, up to a bound", () => {
  const gates = createGates();
  const rooms = Array.from({ length: 8 }, () => round(gates, true, at(0)));
  expect(rooms).toEqual([4, 8, 16, 32, 64, 64, 64, 64]);
});

test("a hung one is sent a handful, then nothing for 30 seconds, then one at a time", () => {
  const gates = createGates();
  const sent = [round(gates, false, at(0)), round(gates, false, at(0)), round(gates, false, at(0))];
  expect(sent).toEqual([4, 1, 0]);
  expect(roomOf(gates, at(29_999))).toBe(0);
  expect(round(gates, false, at(30_000))).toBe(1);
  expect(roomOf(gates, at(30_000))).toBe(0);
  expect(round(gates, true, at(60_000))).toBe(1);
  expect(roomOf(gates, at(60_000))).toBe(FIRST_ROOM);
});

test("a clock that was an hour ahead and is set back leaves nobody alone for an hour", () => {
  const gates = createGates();
  while (round(gates, false, at(3_600_000)) > 0);
  expect(roomOf(gates, at(3_629_999))).toBe(0);
  expect(roomOf(gates, at(0))).toBe(1);
});

test("what hangs while it was sent much costs no more than what is under way", () => {
  const gates = createGates();
  for (let n = 0; n < 6; n++) round(gates, true, at(0));
  expect(round(gates, false, at(0))).toBe(MOST_TO_ONE);
  expect(roomOf(gates, at(0))).toBe(0);
});

test("a fault of our own frees its place, and says nothing of the receiver", () => {
  const gates = createGates();
  while (round(gates, false, at(0)) > 0);
  gates.began(1);
  gates.ended(1, null, at(0));
  expect(roomOf(gates, at(29_999))).toBe(0);
  expect(roomOf(gates, at(30_000))).toBe(1);
});

test("the room is never negative nor beyond the bound, whatever happens in whatever order", () => {
  const step = fc.constantFrom("begin", "accept", "fail", "wait");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const gates = createGates();
      let under_way = 0;
      let now = 0;
      for (const each of steps) {
        if (each === "wait") now += 10_000;
        else if (each === "begin") {
          if (roomOf(gates, at(now)) === 0) continue;
          gates.began(1);
          under_way++;
        } else if (under_way > 0) {
          gates.ended(1, each === "accept", at(now));
          under_way--;
        }
        const room = roomOf(gates, at(now));
        expect(room).toBeGreaterThanOrEqual(0);
        expect(under_way).toBeLessThanOrEqual(MOST_TO_ONE);
      }
      // However it went, an idle receiver is tried again in the end.
      for (; under_way > 0; under_way--) gates.ended(1, false, at(now));
      expect(roomOf(gates, at(now + 30_000))).toBeGreaterThan(0);
    }),
  );
});

test("with very many webhooks, those that are well are forgotten, and one that is left alone stays so", () => {
  const gates = createGates();
  round(gates, false, at(0));
  round(gates, false, at(0));
  for (let id = 2; id < 10_100; id++) {
    gates.began(id);
    gates.ended(id, true, at(0));
  }
  expect(gates.rooms(at(0)).length).toBeLessThan(200);
  expect(roomOf(gates, at(1))).toBe(0);
});
