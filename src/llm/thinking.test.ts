import fc from "fast-check";
import { expect, test } from "vitest";
import { Thinking } from "./thinking.ts";

/** The pieces that a text comes in: cut at these places. */
const cut = (text: string, places: number[]): string[] => {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};

function given(pieces: string[]): string {
  const thinking = new Thinking();
  return pieces.map((piece) => thinking.pass(piece)).join("") + thinking.rest();
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
