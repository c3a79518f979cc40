import type { AwaitedInput } from "../workflows/awaited-input.ts";
import { goesOn, plainWords } from "./caller-words.ts";

/*
 * How long a silence ends what the caller says. Too short, and they are interrupted; too long, and the agent seems slow.
 * What the conversation waits for decides: a yes is over at once, a telephone number is dictated with pauses.
 */

/** Milliseconds of silence. */
const END_OF_TURN = {
  choice: 250,
  free_least: 400,
  free: 550,
  free_most: 700,
  dictated: 1200,
  /** More, after "and", "um" or a comma. */
  goes_on: 600,
} as const;

/** Of one caller: the pauses inside what they said so far, as a moving average; null: none was heard. */
export type Pauses = { average_ms: number } | null;
const PAUSE_WEIGHT = 0.3;
/** A caller who pauses for so long is given half as much again. */
const PAUSE_FACTOR = 1.5;

export function withPause(pauses: Pauses, pause_ms: number): Pauses {
  if (pauses === null) return { average_ms: pause_ms };
  return { average_ms: pauses.average_ms + PAUSE_WEIGHT * (pause_ms - pauses.average_ms) };
}

export type EndOfTurn = {
  delay_ms: number;
  reason: "choice" | "free" | "dictated" | "whole" | "goes-on" | "engine";
};

/** `text`: what was said so far. */
export function endOfTurn(text: string, awaited: AwaitedInput, pauses: Pauses, language: string): EndOfTurn {
  if (awaited.kind === "choice" && isOneOf(text, awaited.choices)) {
    return { delay_ms: END_OF_TURN.choice, reason: "choice" };
  }
  if (awaited.kind === "dictated") {
    const isWhole = awaited.characters !== null && dictatedLength(text) >= awaited.characters;
    return isWhole
      ? { delay_ms: END_OF_TURN.choice, reason: "whole" }
      : { delay_ms: END_OF_TURN.dictated, reason: "dictated" };
  }
  const { free, free_least, free_most, goes_on } = END_OF_TURN;
  const own = pauses === null ? free : pauses.average_ms * PAUSE_FACTOR;
  const delay_ms = Math.round(Math.min(free_most, Math.max(free_least, own)));
  return goesOn(text, language)
    ? { delay_ms: delay_ms + goes_on, reason: "goes-on" }
    : { delay_ms, reason: "free" };
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
  "zero,oh,one,two,three,four,five,six,seven,eight,nine,cero,uno,dos,tres,cuatro,cinco,seis,siete,ocho,nueve".split(
    ",",
  ),
);

/** Digits and single letters, written or spoken. */
function dictatedLength(text: string): number {
  return plainWords(text).reduce((sum, word) => {
    if (SPOKEN_DIGITS.has(word)) return sum + 1;
    if (/^[\p{N}-]+$/u.test(word)) return sum + word.replaceAll("-", "").length;
    return sum + ([...word].length === 1 ? 1 : 0);
  }, 0);
}
