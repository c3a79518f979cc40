import { countMeaningful } from "../base/writing/words.ts";
import { isAnnouncement } from "../media/words/answering-words.ts";
import { plainWords } from "../media/words/caller-words.ts";
import type { Screening } from "./call-settings.ts";

/*
 * Detects from the first words whether a person or a machine answered our call. A machine's announcement is longer than a
 * person's "Hello?" and uses typical phrases. Pure.
 */

/** The estimated duration of speech: people speak some 150 words a minute, and machines a little slower. */
const WORD_MS = 400;

/** The duration of an utterance: measured when partial results came, else estimated from its words. */
const spokenMs = (words: string, first_heard_ms: number | null, now_ms: number): number =>
  first_heard_ms === null ? countMeaningful(plainWords(words)) * WORD_MS : now_ms - first_heard_ms;

/** Whether the speech so far can only come from a machine. */
export const isMachine = (
  screening: Extract<Screening, { version: 1 }>,
  words: string,
  first_heard_ms: number | null,
  now_ms: number,
): boolean =>
  isAnnouncement(words) || spokenMs(words, first_heard_ms, now_ms) > screening.speech_threshold_ms;
