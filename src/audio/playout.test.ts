import fc from "fast-check";
import { expect, test } from "vitest";
import { Playout } from "./playout.ts";

const RATE = 8000;

test("half of a piece in proportion is half of its words", () => {
  const playout = new Playout(RATE);
  playout.begin(1, "one two six ten");
  playout.write(8000);
  playout.end();
  playout.send(8000);
  playout.play(4000);
  expect(playout.heard()).toEqual([{ id: 1, text: "one two", whole: false }]);
  playout.play(8000);
  expect(playout.heard()).toEqual([{ id: 1, text: "one two six ten", whole: true }]);
  expect(playout.isOver).toBe(true);
});

test("the voice's own alignment counts before the proportion", () => {
  const playout = new Playout(RATE);
  playout.begin(1, "Wednesday at two", [
    { from: 0, to: 9, begins: 0, ends: 6000 },
    { from: 10, to: 12, begins: 6000, ends: 6500 },
    { from: 13, to: 16, begins: 6500, ends: 8000 },
  ]);
  playout.write(8000);
  playout.send(8000);
  playout.play(2900);
  expect(playout.heard()[0]?.text).toBe("");
  playout.play(3100);
  expect(playout.heard()[0]?.text).toBe("Wednesday");
  playout.play(6300);
  expect(playout.heard()[0]?.text).toBe("Wednesday at");
});

test("what is stopped is heard as far as it was played, and the next piece begins after what was sent", () => {
  const playout = new Playout(RATE);
  playout.begin(1, "We are open from eight to five.");
  playout.write(16_000);
  playout.end();
  playout.send(6000);
  playout.play(5000);
  expect(playout.stop()).toEqual([{ id: 1, text: "We are open", whole: false }]);
  expect(playout.written).toBe(6000);
  playout.begin(2, "Of course.");
  playout.write(4000);
  playout.end();
  playout.send(4000);
  playout.play(10_000);
  expect(playout.settle()).toEqual([{ id: 2, text: "Of course.", whole: true }]);
  expect(playout.heard()).toEqual([]);
});

type Act =
  | { act: "begin"; text: string }
  | { act: "write"; samples: number }
  | { act: "end" }
  | { act: "send"; samples: number }
  | { act: "play"; position: number };

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant("begin" as const), text: fc.lorem({ maxCount: 12 }) }),
  fc.record({ act: fc.constant("write" as const), samples: fc.nat(20_000) }),
  fc.record({ act: fc.constant("end" as const) }),
  fc.record({ act: fc.constant("send" as const), samples: fc.nat(5000) }),
  fc.record({ act: fc.constant("play" as const), position: fc.nat(60_000) }),
);

test("for all histories: heard ≤ sent ≤ written, what was heard only grows and is a prefix of what was said", () => {
  fc.assert(
    fc.property(fc.array(acts, { maxLength: 60 }), (history) => {
      const playout = new Playout(RATE);
      const said = new Map<number, string>();
      const heard = new Map<number, number>();
      let open = false;
      for (const [id, act] of history.entries()) {
        if (act.act === "begin") {
          if (open) playout.end();
          playout.begin(id, act.text);
          said.set(id, act.text);
          open = true;
        } else if (act.act === "write" && open) playout.write(act.samples);
        else if (act.act === "end") {
          playout.end();
          open = false;
        } else if (act.act === "send") playout.send(act.samples);
        else if (act.act === "play") playout.play(act.position);
        expect(playout.played).toBeLessThanOrEqual(playout.sent);
        expect(playout.sent).toBeLessThanOrEqual(playout.written);
        for (const piece of playout.heard()) {
          expect((said.get(piece.id) as string).startsWith(piece.text)).toBe(true);
          expect(piece.text.length).toBeGreaterThanOrEqual(heard.get(piece.id) ?? 0);
          heard.set(piece.id, piece.text.length);
        }
      }
    }),
  );
});
