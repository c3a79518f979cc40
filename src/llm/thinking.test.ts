import fc from "fast-check";
import { expect, test } from "vitest";
import { Thinking, type ThinkingHabit } from "./thinking.ts";

/** The pieces that a text comes in: cut at these places. */
const cut = (text: string, places: number[]): string[] => {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};

function given(pieces: string[], habit?: ThinkingHabit, is_cut = false): string {
  const thinking = new Thinking(habit);
  return pieces.map((piece) => thinking.pass(piece)).join("") + thinking.rest(is_cut);
}

const words = fc.string({ unit: fc.constantFrom("a", " ", "\n", "<", ">", "/", "think", "</thin") });
const places = fc.array(fc.nat(), { maxLength: 20 });

test("what is thought before an answer is not given out, wherever the pieces are cut", () => {
  fc.assert(
    fc.property(fc.constantFrom("", " ", "\n\n"), words, words, places, (before, thought, said, cuts) => {
      fc.pre(!thought.includes("</think>") && !said.trimStart().startsWith("<think>"));
      expect(given(cut(`${before}<think>${thought}</think>\n${said}`, cuts))).toBe(said.trimStart());
    }),
  );
});

test("an answer that does not begin with a thought is given out as it is, tags within it too", () => {
  fc.assert(
    fc.property(words, places, (said, cuts) => {
      fc.pre(!said.trimStart().startsWith("<think>"));
      expect(given(cut(said, cuts))).toBe(said);
    }),
  );
});

test.each([
  ["a second thought is one, too", ["<think>a</think><think>b</think>c"], "c"],
  ["a thought that never ends is no answer", ["<think>a", " and b"], ""],
  ["the beginning of a tag is words when nothing follows", ["<thi"], "<thi"],
])("%s", (_title, pieces, said) => {
  expect(given(pieces)).toBe(said);
});

const opening = () => fc.constantFrom(null, true).map((opens_itself): ThinkingHabit => ({ opens_itself }));

test("where the server opens the thought, what comes before the closing tag is not given out, wherever it is cut", () => {
  fc.assert(
    fc.property(opening(), words, words, places, (habit, thought, said, cuts) => {
      fc.pre(!/<\/?think>/.test(thought) && !said.trimStart().startsWith("<think>"));
      expect(given(cut(`${thought}</think>\n${said}`, cuts), habit)).toBe(said.trimStart());
      expect(habit).toEqual({ opens_itself: true });
    }),
  );
});

test("a first answer without a thought is given out whole at its end, and the next ones as they come", () => {
  const habit: ThinkingHabit = { opens_itself: null };
  const first = new Thinking(habit);
  expect([first.pass("Hello. "), first.pass("How can I help?"), first.rest()]).toEqual([
    "",
    "",
    "Hello. How can I help?",
  ]);
  expect(new Thinking(habit).pass("Yes.")).toBe("Yes.");
});

test("a server that tells thoughts apart, by the opening tag or by a field, is not waited for", () => {
  const tagged: ThinkingHabit = { opens_itself: null };
  expect(given(["<think>a", "</think>b"], tagged)).toBe("b");
  const apart: ThinkingHabit = { opens_itself: true };
  const thinking = new Thinking(apart);
  thinking.toldApart();
  expect([thinking.pass("b"), tagged, apart]).toEqual([
    "b",
    { opens_itself: false },
    { opens_itself: false },
  ]);
});

test("of a thought that was cut off at a limit nothing is given out, and a closing tag teaches late", () => {
  expect(given(["They ask"], { opens_itself: true }, true)).toBe("");
  const habit: ThinkingHabit = { opens_itself: false };
  expect(given(["They ask</th", "ink>Hello."], habit)).toBe("They ask</think>Hello.");
  expect(habit.opens_itself).toBe(true);
});
