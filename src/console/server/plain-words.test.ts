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
  ["Input should be a valid integer, unable to parse string as an integer", "Enter a whole number."],
  ["Input should be a valid number, unable to parse string as a number", "Enter a number."],
  ["Input should not be less than min_duration", "Enter no less than min duration."],
  ["Field required: each Azure resource has its own address", "Each Azure resource has its own address."],
  ["Missing permission: users_read", "This needs the permission users_read. Ask an administrator for it."],
  ["There is no agent named Desk.", "There is no agent named Desk."],
  ["String should match pattern '^\\S*$'", "Use no spaces."],
  ["String should match pattern '^([01]\\d|2[0-3]):[0-5]\\d$'", "Enter a time such as 08:30."],
  ["String should match pattern '^new$'", "Use the form that the field asks for."],
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

/** What nobody types: numbers of records, hashes, addresses of the API itself; and patterns with a message of their own. */
const NOT_TYPED = [
  /^\^\(?[\w|-]*\)?\??\\d\{1,15\}\$$/,
  /^\^\[0-9a-f\]\{64\}\$$/,
  /^\^pronunciations_v/,
  /people\\\.example|\+1512555|\[\^\\s@\/\]|\\d\{1,15\}\\\./,
  /-02-29\|/,
];

test("what may be typed into a field with a pattern is said in words, for every pattern of the API", () => {
  const text = readFileSync(path.resolve(import.meta.dirname, "../../../openapi.json"), "utf8");
  const schemas = JSON.stringify(JSON.parse(text), (key, value) => (key === "example" ? undefined : value));
  const patterns = new Set(
    [...schemas.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, found]) => JSON.parse(found as string) as string,
    ),
  );
  expect(patterns.size).toBeGreaterThan(20);
  const unsaid = [...patterns]
    .filter((pattern) => !NOT_TYPED.some((each) => each.test(pattern)))
    .filter((pattern) =>
      /form that the field/.test(inPlainWords(`String should match pattern '${pattern}'`)),
    );
  expect(unsaid).toEqual([]);
});
