import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { stringsOf } from "../../../scripts/strings.ts";
import { inPlainWords } from "./plain-words.ts";

const SCHEMA_WORDS = /^(Input|String|List|Dictionary|Field|Extra)\b.*\b(should|required|inputs|match)\b/;

/** Put together of parts by input-errors.ts; the wholes are above. */
const IN_PARTS = /should (have at 3|be ?$)/;

test.each([
  ["Field required", "Fill this in."],
  ["String should have at least 1 character", "Fill this in."],
  ["String should have at most 255 characters", "Use at most 255 characters."],
  ["List should have at least 1 item after validation", "Add at least one."],
  ["Input should be greater than or equal to 1", "Enter 1 or more."],
  ["Input should be 'voice', 'sms' or 'email'", "Choose voice, sms or email."],
  ["Input should be an e-mail address", "Enter an e-mail address."],
  ["Input should not be less than min_duration", "Enter no less than min duration."],
  ["Field required: each Azure resource has its own address", "Each Azure resource has its own address."],
  ["There is no agent named Desk.", "There is no agent named Desk."],
])("%s → %s", (message, said) => {
  expect(inPlainWords(message)).toBe(said);
});

test("no message of the program that is worded as a schema's reaches a page as it is", () => {
  const src = path.resolve(import.meta.dirname, "../..");
  const files = globSync("**/*.ts", { cwd: src, exclude: ["console/**", "**/*.test.ts"] });
  const worded = files
    .flatMap((file) => stringsOf(file, readFileSync(path.join(src, file), "utf8")))
    .map(({ text }) => text.replace(/\{[^}]*\}/g, "3"))
    .filter((text) => SCHEMA_WORDS.test(text) && !IN_PARTS.test(text));
  expect(worded.length).toBeGreaterThan(60);
  expect(worded.filter((text) => SCHEMA_WORDS.test(inPlainWords(text)))).toEqual([]);
});
