import { UNSPACED } from "../base/writing/scripts.ts";
import { countMeaningful } from "../base/writing/words.ts";
import type { AwaitedInput } from "../workflows/awaited-input.ts";
import { goesOn, isComplete, plainWords } from "./words/caller-words.ts";

/*
 * How long a silence ends what the caller says. Too short, and they are interrupted; too long, and the agent seems slow.
 * What the conversation waits for decides: a yes is over at once, a telephone number is dictated with pauses.
 */

/** Milliseconds of silence. */
const END_OF_TURN = {
  choice: 250,
  /** A question about something, thanks, "please": nothing more is to come. */
  complete: 400,
  /** A short answer to what we asked. */
  answer: 700,
  /** A wish or a story, which many people go on with after a pause: "I want to book … for Monday". */
  open: 1020,
  dictated: 1200,
  /** More, after "and", "um" or a comma. */
  goes_on: 600,
} as const;

/** Of one caller: the pauses inside what they said so far, as a moving average; null: none was heard. */
export type Pauses = { average_ms: number } | null;
const PAUSE_WEIGHT = 0.3;
/** A caller who pauses is given half as much again, up to so much more than others. */
const PAUSE_FACTOR = 1.5;
const MOST_FOR_PAUSES_MS = 300;
/** An answer of more words than these is a story. */
const SHORT_ANSWER = 4;

export function withPause(pauses: Pauses, pause_ms: number): Pauses {
  if (pauses === null) return { average_ms: pause_ms };
  return { average_ms: pauses.average_ms + PAUSE_WEIGHT * (pause_ms - pauses.average_ms) };
}

export type EndOfTurn = {
  delay_ms: number;
  reason: "choice" | "complete" | "answer" | "free" | "dictated" | "whole" | "goes-on" | "engine";
};

/** `text`: what was said so far; `asked`: our last words were a question. */
export function endOfTurn(
  text: string,
  awaited: AwaitedInput,
  pauses: Pauses,
  { language, asked }: { language: string; asked: boolean },
): EndOfTurn {
  if (awaited.kind === "choice" && isOneOf(text, awaited.choices)) {
    return { delay_ms: END_OF_TURN.choice, reason: "choice" };
  }
  if (awaited.kind === "dictated") {
    const isWhole = awaited.characters !== null && dictatedLength(text) >= awaited.characters;
    return isWhole
      ? { delay_ms: END_OF_TURN.choice, reason: "whole" }
      : { delay_ms: END_OF_TURN.dictated, reason: "dictated" };
  }
  const { complete, answer, open, goes_on } = END_OF_TURN;
  const withOwn = (ms: number): number => {
    const own = pauses === null ? ms : pauses.average_ms * PAUSE_FACTOR;
    return Math.round(Math.min(ms + MOST_FOR_PAUSES_MS, Math.max(ms, own)));
  };
  if (goesOn(text, language)) return { delay_ms: withOwn(complete) + goes_on, reason: "goes-on" };
  if (isComplete(text, language)) return { delay_ms: withOwn(complete), reason: "complete" };
  const isShort = countMeaningful(plainWords(text)) <= SHORT_ANSWER;
  if (asked && isShort) return { delay_ms: withOwn(answer), reason: "answer" };
  return { delay_ms: withOwn(open), reason: "free" };
}

/** The answer holds a choice's words and little beside: "yes please", "a check-up". */
function isOneOf(text: string, choices: readonly string[]): boolean {
  const said = plainWords(text).join(" ");
  return choices.some((choice) => {
    const words = plainWords(choice).join(" ");
    return words !== "" && ` ${said} `.includes(` ${words} `) && said.length <= words.length + 12;
  });
}

const SPOKEN_DIGITS: ReadonlySet<string> = new Set(
  [
    "zero,oh,one,two,three,four,five,six,seven,eight,nine",
    "cero,uno,dos,tres,cuatro,cinco,seis,siete,ocho,nueve",
    "zéro,un,deux,trois,quatre,cinq,six,sept,huit,neuf",
  ].flatMap((digits) => digits.split(",")),
);

/** As Chinese and Japanese are dictated; 幺 is the one that is not taken for a seven. */
const SIGNS_OF_DIGITS = /^[〇零一二三四五六七八九幺]+$/u;
const SIGN = new RegExp(UNSPACED, "v");

/** Digits and single letters, written or spoken. A single sign of Japanese or Thai is a word. */
function dictatedLength(text: string): number {
  return plainWords(text).reduce((sum, word) => {
    if (SPOKEN_DIGITS.has(word)) return sum + 1;
    if (/^[\p{N}-]+$/u.test(word)) return sum + word.replaceAll("-", "").length;
    if (SIGNS_OF_DIGITS.test(word)) return sum + word.length;
    return sum + ([...word].length === 1 && !SIGN.test(word) ? 1 : 0);
  }, 0);
}
