/*
 * Two programs that answer each other write without end. A program is told by what it writes: the same words, or nearly the
 * same, again and again, or more than a person could. Its message is held: kept, not answered, and told to the people who
 * work here. The dialogue goes on when something different comes. Pure; the history is that of the database.
 */

/** A message that came in. */
export type HeardMessage = { words: string; at: Date };
export type EarlierMessage = HeardMessage & { held: string | null };

export type HoldReason = "repeated" | "pace";

export type PaceLimits = { an_hour: number; a_day: number };
/** People write texts in pieces, and mails one at a time. */
export const TEXT_PACE: PaceLimits = { an_hour: 40, a_day: 120 };
export const MAIL_PACE: PaceLimits = { an_hour: 10, a_day: 30 };

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Answers to the same sentence: a person who is not understood says it twice or three times. */
const MOST_ANSWERS_ALIKE = 3;
/** To "yes" or "2": forms ask questions that many such words answer. */
const MOST_ANSWERS_ALIKE_SHORT = 12;
const SHORT_WORDS = 3;

/** `earlier`: of the same dialogue, since a day before; null: the message is to be answered. */
export function whyHeld(
  earlier: readonly EarlierMessage[],
  message: HeardMessage,
  pace: PaceLimits,
): HoldReason | null {
  const at = message.at.getTime();
  const today = earlier.filter((each) => at - each.at.getTime() < DAY_MS);
  const words = wordsIn(message.words);
  const most = words.length <= SHORT_WORDS ? MOST_ANSWERS_ALIKE_SHORT : MOST_ANSWERS_ALIKE;
  if (today.filter((each) => areAlike(wordsIn(each.words), words)).length >= most) return "repeated";
  const answered = today.filter(({ held }) => held === null);
  const within = answered.filter((each) => at - each.at.getTime() < HOUR_MS);
  return within.length >= pace.an_hour || answered.length >= pace.a_day ? "pace" : null;
}

/** A longer one is known by its beginning. */
const LONGEST = 1_000;

/** Words as they are compared: automatic answers differ in dates, numbers of tickets and spacing. */
export const wordsIn = (text: string): string[] =>
  text
    .slice(0, LONGEST)
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{So}]+|\d+/gu)
    ?.map((word, _at, all) => (/^\d/.test(word) && all.length > SHORT_WORDS ? "#" : word)) ?? [];

/** Nine of ten words in common, counted as often as they come. */
const ALIKE = 0.9;

export function areAlike(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const n = left.get(word) ?? 0;
    if (n === 0) continue;
    left.set(word, n - 1);
    common++;
  }
  return (2 * common) / (a.length + b.length) >= ALIKE;
}

/** What people are told of a held message. */
export const holdWords = (why: HoldReason): string =>
  why === "repeated" ? "the same words came again and again" : "too many messages in a short time";
