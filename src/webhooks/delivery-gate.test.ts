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

test("a receiver that accepts is sent ever more at once, up to a bound, and half as much after one failure", () => {
  const gates = createGates();
  const rooms = Array.from({ length: 8 }, () => round(gates, true, at(0)));
  expect(rooms).toEqual([4, 8, 16, 32, 64, 64, 64, 64]);
  gates.began(1);
  gates.ended(1, false, at(0));
  expect(roomOf(gates, at(0))).toBe(32);
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

test("a message that was under way and is accepted opens a receiver again that five failures closed", () => {
  const gates = createGates();
  round(gates, true, at(0));
  for (let n = 0; n < 6; n++) gates.began(1);
  for (let n = 0; n < 5; n++) gates.ended(1, false, at(0));
  expect(roomOf(gates, at(0))).toBe(0);
  gates.ended(1, true, at(0));
  expect(roomOf(gates, at(0))).toBe(FIRST_ROOM);
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
  gates.ended(1, null, at(20_000));
  expect(roomOf(gates, at(29_999))).toBe(0);
  expect(roomOf(gates, at(30_000))).toBe(1);
});

test("whatever happens in whatever order, each message takes one place, and five failures in a row close a receiver for 30 s", () => {
  const step = fc.constantFrom("begin", "accept", "fail", "wait");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const gates = createGates();
      let under_way = 0;
      let now = 0;
      let failed = { in_a_row: 0, at: 0 };
      for (const each of steps) {
        const before = roomOf(gates, at(now));
        if (each === "wait") now += 10_000;
        else if (each === "begin") {
          if (before === 0) continue;
          gates.began(1);
          under_way++;
          expect(roomOf(gates, at(now))).toBe(before - 1);
        } else if (under_way > 0) {
          gates.ended(1, each === "accept", at(now));
          under_way--;
          failed = each === "accept" ? { in_a_row: 0, at: 0 } : { in_a_row: failed.in_a_row + 1, at: now };
        }
        const room = roomOf(gates, at(now));
        expect(room).toBeGreaterThanOrEqual(0);
        expect(room + under_way).toBeLessThanOrEqual(MOST_TO_ONE);
        const isClosed = failed.in_a_row >= 5 && now < failed.at + 30_000;
        if (isClosed) expect(room).toBe(0);
        else if (under_way === 0) expect(room).toBeGreaterThan(0);
        if (failed.in_a_row >= 5) expect(room).toBeLessThanOrEqual(1);
      }
      // However it went, an idle receiver is tried again in the end.
      for (; under_way > 0; under_way--) gates.ended(1, false, at(now));
      expect(roomOf(gates, at(now + 30_000))).toBeGreaterThan(0);
    }),
  );
});

test("with very many webhooks, those that are well are forgotten, one that is left alone stays so, and one that is sent something keeps its places", () => {
  const gates = createGates();
  round(gates, false, at(0));
  round(gates, false, at(0));
  for (let n = 0; n < FIRST_ROOM; n++) gates.began(0);
  for (let id = 2; id < 10_100; id++) {
    gates.began(id);
    gates.ended(id, true, at(0));
  }
  expect(gates.rooms(at(0)).length).toBeLessThan(200);
  expect(roomOf(gates, at(1))).toBe(0);
  expect(gates.rooms(at(0))).toContainEqual({ webhook_id: 0, room: 0 });
});

test("what one receiver may be sent at once is not lost when another is met", () => {
  const gates = createGates();
  for (let n = 0; n < 5; n++) round(gates, true, at(0));
  gates.began(2);
  expect(roomOf(gates, at(0))).toBe(MOST_TO_ONE);
});
