import fc from "fast-check";
import { expect, test } from "vitest";
import { Repeated } from "./without-repeating.ts";

/** The pieces that a text comes in: cut at these places. */
const cut = (text: string, places: number[]): string[] => {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
};

function given(said: string, pieces: string[]): string {
  const repeated = new Repeated(said);
  return pieces.map((piece) => repeated.pass(piece)).join("") + repeated.rest();
}

const words = fc.array(fc.constantFrom("your", "appointment", "is", "on", "Monday", "9"), { minLength: 1 });
const places = fc.array(fc.nat(), { maxLength: 20 });

test("an answer that begins anew is heard from where the first one broke off, wherever its pieces are cut", () => {
  fc.assert(
    fc.property(words, words, fc.nat(), places, (first, more, at, cuts) => {
      const whole = [...first, ...more].join(" ");
      const said = whole.slice(0, 1 + (at % whole.length)).trim();
      // The longest ending of what was said that the answer begins with is the whole of it.
      expect(given(said, cut(whole, cuts))).toBe(whole.slice(said.length).trimStart());
    }),
  );
});

test("what was not said before is heard as it is, wherever its pieces are cut", () => {
  fc.assert(
    fc.property(words, words, places, (said, more, cuts) => {
      const next = `then ${more.join(" ")}`;
      expect(given(said.join(" "), cut(next, cuts))).toBe(next);
    }),
  );
});

test.each([
  [
    "the sentence that broke off",
    "Hello! Your appointment is on",
    "Your appointment is on Monday.",
    "Monday.",
  ],
  ["it in Japanese", "こんにちは。ご予約は月曜日の十時", "ご予約は月曜日の十時です。", "です。"],
  ["it in Thai", "สวัสดีครับ นัดของคุณคือวันจันทร์", "นัดของคุณคือวันจันทร์สิบโมง", "สิบโมง"],
  ["a Japanese ending by chance", "予約しています。", "しています。", "しています。"],
  ["less of it than was said", "Your appointment is on", "Your appoint", ""],
  ["a word by chance", "I am here, and I am", "I can help.", "I can help."],
  ["digits", "Your code is 1 2 3", "1 2 3 4", "1 2 3 4"],
  ["the end of a word", "Your appoint", "ment is on Monday.", "ment is on Monday."],
])("%s", (_what, said, next, heard) => {
  expect(given(said, [next])).toBe(heard);
});
