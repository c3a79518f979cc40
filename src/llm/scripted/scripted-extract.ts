/** Values out of what the user said, by the kind of value that is wanted. */

import { tryParseJson } from "../../base/parse-json.ts";
import { dateIn, timeIn } from "./scripted-dates.ts";
import type { Parameter, ParameterKind } from "./scripted-parameters.ts";
import { matcherOf } from "./scripted-patterns.ts";
import { spoken } from "./scripted-template.ts";
import { heardIn, mentions, wordsOf } from "./scripted-words.ts";

type ExtractionFrom = {
  text: string;
  today: string | null;
  /** The user was asked for exactly this: then words that could be anything count as the answer. */
  asked: boolean;
};

/** Nobody answers a question at greater length; it bounds what the expressions below work on. */
const LONGEST_TEXT = 4_000;

/** Undefined when the text holds no such value. */
export function valueIn(parameter: Parameter, hearing: ExtractionFrom): unknown {
  const text = hearing.text.slice(0, LONGEST_TEXT);
  return valueOfKind(parameter.kind, parameter.name, { ...hearing, text });
}

function valueOfKind(kind: ParameterKind, name: string, hearing: ExtractionFrom): unknown {
  const { text, today, asked } = hearing;
  switch (kind.type) {
    case "choice":
      return choiceIn(kind.values, text, asked);
    case "boolean":
      return asked ? yesOrNo(text) : undefined;
    case "number":
      return asked ? numberIn(text, kind) : undefined;
    case "date":
    case "time":
    case "date-time":
    case "email":
    case "phone":
      return formatted(kind.type, text, today) ?? (asked && !kind.declared ? plain(text) : undefined);
    case "pattern":
      return patternIn(kind, text, asked);
    case "list":
      return listIn(kind.items, name, hearing);
    case "object":
      return asked ? objectIn(text) : undefined;
    case "reference":
      return asked ? plain(text) : undefined;
    case "text":
      if (wordsOf(name).includes("name")) return nameIn(text, asked);
      return asked ? plain(text) : undefined;
  }
}

/**
 * The longest value mentioned, so that "X-ray of the knee" wins over "X-ray"; or one picked by its place in the list.
 * Among numbers the one that was said: 8 of "8 out of 10", and none of them where it is another.
 */
function choiceIn(values: unknown[], text: string, asked: boolean): unknown {
  const number = asked && values.every((value) => typeof value === "number") ? numberIn(text) : undefined;
  if (number !== undefined) return values.includes(number) ? number : undefined;
  const heard = heardIn(text);
  const mentioned = values
    .filter((value) => mentions(heard, spoken(value)))
    .toSorted((a, b) => spoken(b).length - spoken(a).length);
  if (mentioned.length > 0) return mentioned[0];
  const place = asked ? ordinalIn(text, values.length) : null;
  return place === null ? undefined : values[place];
}

const YES = /\b(yes|yeah|yep|yup|sure|correct|right|of course|please do|absolutely|true|ok|okay)\b/i;
const NO = /\b(no|nope|not|never|false|don'?t)\b/i;

const yesOrNo = (text: string): boolean | undefined =>
  NO.test(text) ? false : YES.test(text) ? true : undefined;

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

const ANY_NUMBER = { whole: false, minimum: -Infinity, maximum: Infinity };

function numberIn(text: string, kind: typeof ANY_NUMBER = ANY_NUMBER): number | undefined {
  const digits = /-?\d[\d,]*(\.\d+)?/.exec(text.replaceAll(/(\d) (?=\d{3}\b)/g, "$1"));
  const number = digits ? Number(digits[0].replaceAll(",", "")) : numberWord(text);
  if (number === undefined || Number.isNaN(number)) return undefined;
  if (kind.whole && !Number.isInteger(number)) return undefined;
  return number >= kind.minimum && number <= kind.maximum ? number : undefined;
}

/** The first number written in words, up to 99: "twenty five", "a dozen", "a couple". */
function numberWord(text: string): number | undefined {
  const words = wordsOf(text);
  for (const [index, word] of words.entries()) {
    const tens = TENS.indexOf(word);
    const next = SMALL.indexOf(words[index + 1] ?? "");
    if (tens >= 0) return (tens + 2) * 10 + (next > 0 && next < 10 ? next : 0);
    if (SMALL.includes(word)) return SMALL.indexOf(word);
    if (word === "dozen") return 12;
    if (word === "couple") return 2;
  }
  return undefined;
}

/** Begins where a word does, and the part before the `@` has its greatest length: no text takes long to search. */
export const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/;
const PHONE = /\+?\(?\d[\d\s().-]{4,}\d/;

function formatted(
  type: "date" | "time" | "date-time" | "email" | "phone",
  text: string,
  today: string | null,
): string | undefined {
  const date = dateIn(text, today) ?? undefined;
  const time = timeIn(text) ?? undefined;
  switch (type) {
    case "date":
      return date;
    case "time":
      return time;
    case "date-time":
      return date !== undefined && time !== undefined ? `${date}T${time}:00` : undefined;
    case "email":
      return EMAIL.exec(text)?.[0];
    case "phone":
      return phoneIn(text);
  }
}

const DIGITS = SMALL.slice(0, 10);
/** A word that people say between two groups of digits, or that a pause is heard as. */
const BETWEEN = "(?:and|um|uh)[\\s,.-]+";
const DICTATED = new RegExp(
  `\\b(?:${DIGITS.join("|")})(?:[\\s,.-]+(?:${BETWEEN})?(?:${DIGITS.join("|")}))+\\b`,
  "gi",
);

/** A date is made of digits and dashes too; five digits are the shortest number anybody dials here. Calls hear them as words. */
function phoneIn(text: string): string | undefined {
  const written = text.replaceAll(DICTATED, (words) =>
    wordsOf(words)
      .map((word) => DIGITS.indexOf(word))
      .filter((digit) => digit >= 0)
      .join(""),
  );
  const number = PHONE.exec(written.replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, " "))?.[0].replaceAll(/[^\d+]/g, "");
  return number !== undefined && number.length >= 5 ? number : undefined;
}

function patternIn(
  kind: Extract<ParameterKind, { type: "pattern" }>,
  text: string,
  asked: boolean,
): string | undefined {
  const answer = plain(text);
  if (asked && answer !== undefined && matcherOf(kind.regex, answer).find()) return answer;
  // An anchored pattern fits no sentence, but may fit a word of it.
  return text.split(/[\s,;]+/).find((word) => word !== "" && matcherOf(kind.regex, word).matches());
}

function listIn(items: ParameterKind, name: string, hearing: ExtractionFrom): unknown[] | undefined {
  if (items.type === "choice") {
    const heard = heardIn(hearing.text);
    const found = items.values.filter((value) => mentions(heard, spoken(value)));
    return found.length > 0 ? found : undefined;
  }
  if (!hearing.asked || items.type === "list") return undefined;
  const found = hearing.text
    .split(/,|;|\band\b/i)
    .map((text) => valueOfKind(items, name, { ...hearing, text }))
    .filter((value) => value !== undefined);
  return found.length > 0 ? found : undefined;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = tryParseJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

const SELF =
  /\b(?:my (?:full )?name is|my name['’]s|the name is|this is|i am|i['’]m|call me)\s+((?:\p{Lu}[\p{L}'’.-]*\s*){1,4})/iu;

/** "My name is Ann Lee" is understood at any time; a bare "Ann Lee" only as the answer to the question. */
function nameIn(text: string, asked: boolean): string | undefined {
  const introduced = SELF.exec(text)?.[1]?.trim();
  // The flag that lets "My" and "my" both begin also lets small letters pass for names.
  const name = introduced
    ?.match(/^(?:\p{Lu}[\p{L}'’.-]*\s*)+/u)?.[0]
    .trim()
    .replace(/(?<![.\s])[.\s]+$/, "");
  if (name) return name;
  return asked ? plain(text) : undefined;
}

/** An answer without its trimmings: "It's a toothache." → "a toothache". */
function plain(text: string): string | undefined {
  const answer = text
    .trim()
    .replace(/^(?:(?:yes|sure|okay|ok|well|so|um+|uh+),?\s+)+(?=\S)/i, "")
    .replace(
      /^(?:it['’]?s|it is|that['’]?s|that is|that would be|this is|my (?:\w+ ){1,2}is|i am|i['’]m)\s+(?=\S)/i,
      "",
    )
    .replace(/(?<![.!\s])[.!\s]+$/, "");
  return answer === "" ? undefined : answer;
}

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");

/** The place in a list of `count`: "the second one", "number 2", "2", "the last". */
export function ordinalIn(text: string, count: number): number | null {
  const words = wordsOf(text);
  const found = words.map((word) => ORDINALS.indexOf(word)).find((place) => place >= 0);
  if (found !== undefined) return found < count ? found : null;
  if (words.includes("last")) return count - 1;
  const number =
    /(?:^|\b(?:number|option|no)\.?\s*|#\s*|\()(\d{1,2})(?:st|nd|rd|th)?\)?(?=[.!,\s]*$|\s+please|,)/i.exec(
      text.trim(),
    );
  const place = Number(number?.[1]) - 1;
  if (place >= 0 && place < count) return place;
  const spoken = words.length <= 3 ? SMALL.indexOf(words.find((word) => SMALL.includes(word)) ?? "") - 1 : -1;
  return spoken >= 0 && spoken < count ? spoken : null;
}
