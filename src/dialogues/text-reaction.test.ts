import { expect, test } from "vitest";
import { processorMs } from "../../test/harness/processor-time.ts";
import { asks, isMereReaction } from "./text-reaction.ts";

const QUESTION = "Shall I book Tuesday at ten?";
const BOOKED = "Your appointment is booked.\nSee you on Tuesday,  Ann!";

test.each([
  ["Liked “Your appointment is booked.\nSee you on Tuesday,  Ann!”"],
  ["Loved “Your appointment is booked. See you on Tuesday, Ann!”"],
  ['Laughed at "Your appointment is booked. See you on Tuesday, Ann!"'],
  ["Emphasized “Your appointment is booked. See you on…”"],
  ["Emphasised “Your appointment is booked. See you on…”"],
  ["Liked “Your appointment is b…”"],
  ["  Liked\n “Your appointment is booked. See you on Tuesday, Ann!” "],
  ["Removed a like from “Your appointment is booked. See you on Tuesday, Ann!”"],
  ["Removed an exclamation from “Your appointment is booked. See you on Tuesday, Ann!”"],
  ["Reacted 👍🏽 to “Your appointment is booked. See you on Tuesday, Ann!”"],
  ["Removed ❤️ from “Your appointment is booked. See you on Tuesday, Ann!”"],
  ["❤️ to “ Your appointment is booked. See you on Tuesday, Ann! ”".replace("“ ", "“").replace(" ”", "”")],
])("%j is a mere reaction, be the dialogue open or over", (text) => {
  for (const isOpen of [true, false]) expect(isMereReaction(text, [BOOKED, QUESTION], isOpen)).toBe(true);
});

test.each([
  [`Liked “${QUESTION}”`],
  [`👍 to “${QUESTION}”`],
  [`Questioned “${QUESTION}”`],
  [`Disliked “${QUESTION}”`],
])("%j answers what was asked last, while its dialogue is open", (text) => {
  expect(isMereReaction(text, [QUESTION, BOOKED], true)).toBe(false);
  expect(isMereReaction(text, [QUESTION, BOOKED], false)).toBe(true);
});

test("a text that one does not like or understand is to be spoken of, also when it was not the last", () => {
  expect(isMereReaction(`Questioned “${BOOKED}”`, [QUESTION, BOOKED], true)).toBe(false);
  expect(isMereReaction(`Disliked “${BOOKED}”`, [BOOKED], true)).toBe(false);
  expect(isMereReaction(`Liked “${QUESTION}”`, [BOOKED, QUESTION], true)).toBe(true);
});

test.each([
  "Liked “what you said”",
  "Liked it",
  "👍",
  `I liked “${BOOKED}”`,
  `No, not “${BOOKED}”`,
  `Liked “${BOOKED}” but not the time`,
  `“${BOOKED}”`,
  "Liked “Your app…”",
  "Liked “Your appointment is…”",
  "",
  "Liked “",
])("%j are somebody's own words", (text) => expect(isMereReaction(text, [BOOKED], false)).toBe(false));

test.each([
  ["Shall I? :-)", true],
  ["¿Sí? ", true],
  ["Tuesday? Then see you.", false],
  ["?!", true],
  ["", false],
])("%j asks: %s", (text, is_question) => expect(asks(text)).toBe(is_question));

test("thousands of question marks hold nobody up", () => {
  const read = () => expect(asks(`${"?".repeat(64_000)}a`)).toBe(false);
  expect(processorMs(read)).toBeLessThan(2_000);
});
