import fc from "fast-check";
import { expect, test } from "vitest";
import { drawStratified } from "./draw-sessions.ts";
import { BEGINNING, follow, nextMove, type RecordedTurn } from "./recorded-person.ts";

const words = fc.array(fc.constantFrom("what", "is", "your", "name", "day", "phone", "日曜日", "9:00"), {
  maxLength: 8,
});
const turn = fc.record({
  said: fc.string({ maxLength: 10 }),
  heard: words.map((each) => each.join(" ")),
  calls: fc.array(fc.constantFrom("find", "book", "book!"), { maxLength: 3 }),
});

test("for all recordings, an agent that says the same again is answered line for line, to the end", () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 12 }), turn, (turns: RecordedTurn[], end) => {
      let followed = BEGINNING;
      for (const [line, { heard, calls }] of turns.entries()) {
        const move = nextMove(turns, end, followed, { words: heard, calls });
        expect(move).toEqual({ type: "as recorded", line });
        followed = follow(followed, line);
      }
      expect(nextMove(turns, end, followed, { words: end.heard, calls: end.calls })).toEqual({
        type: "over",
      });
    }),
  );
});

test("for all agents, no line is said twice and every conversation comes to an end", () => {
  fc.assert(
    fc.property(
      fc.array(turn, { maxLength: 12 }),
      turn,
      fc.array(turn, { minLength: 30, maxLength: 30 }),
      (turns, end, agent) => {
        let followed = BEGINNING;
        for (const { heard, calls } of agent) {
          const move = nextMove(turns, end, followed, { words: heard, calls });
          if (move.type === "over" || move.type === "nothing fits") return;
          expect(followed.said).not.toContain(move.line);
          followed = follow(followed, move.line);
        }
        expect.unreachable("the person went on without end");
      },
    ),
  );
});

const BOOKING: RecordedTurn[] = [
  { said: "I need a cleaning", heard: "Hello, how can I help you?", calls: [] },
  { said: "Ann Lee", heard: "What is your full name?", calls: ["find"] },
  { said: "555 0100", heard: "What is your phone number?", calls: [] },
];
const END = { heard: "Done, you are booked.", calls: ["book"] };
const after = (...lines: number[]) => lines.reduce(follow, BEGINNING);

test("other words for the same fit; another question is answered from where it was asked; what nobody asked ends it", () => {
  const move = (said: number[], heard: string, calls: string[] = []) =>
    nextMove(BOOKING, END, after(...said), { words: heard, calls });
  expect(move([0], "Sure! May I have your name, please?", ["find"])).toEqual({
    type: "as recorded",
    line: 1,
  });
  expect(move([0], "What is your phone number?", ["find"])).toEqual({ type: "elsewhere", line: 2 });
  expect(move([0, 2], "What is your full name?")).toEqual({ type: "elsewhere", line: 1 });
  expect(move([0], "We are closed for the season.")).toEqual({ type: "nothing fits" });
  expect(move([0, 1, 2], "All set.", ["book"])).toEqual({ type: "over" });
});

test("for all strata, as many are drawn as asked for, each stratum in proportion, and none is left out while there is room", () => {
  const sessions = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(sessions, fc.integer({ min: 1, max: 250 }), (strata, wanted) => {
      const all = strata.map((stratum, id) => ({ id, stratum }));
      const drawn = drawStratified(all, wanted);
      expect(drawn).toHaveLength(Math.min(wanted, all.length));
      expect(new Set(drawn.map(({ id }) => id)).size).toBe(drawn.length);
      const kinds = new Set(strata);
      if (wanted >= kinds.size) expect(new Set(drawn.map(({ stratum }) => stratum))).toEqual(kinds);
      for (const kind of kinds) {
        const share = (drawn.length * strata.filter((each) => each === kind).length) / all.length;
        const own = drawn.filter(({ stratum }) => stratum === kind).length;
        expect(Math.abs(own - share)).toBeLessThan(kinds.size);
      }
    }),
  );
});
