import type { Screening } from "./call-settings.ts";

/*
 * Detects from the first words whether a person or a machine answered our call. A machine's announcement is longer than a
 * person's "Hello?" and uses typical phrases. Pure.
 */

/** Phrases of announcements that people don't use when they pick up. */
const MACHINE_WORDS = [
  /\bleave (?:me |us )?(?:a|your) (?:\w+ )?message\b/,
  /\b(?:after|at) the (?:tone|beep)\b/,
  /\bvoice ?mail(?:box)?\b/,
  /\brecord your message\b/,
  /\b(?:can'?t|cannot|unable to) (?:come to|take|answer) (?:the|your|my) (?:phone|call)\b/,
  /\b(?:is|are|am) (?:not|un)(?: )?available\b.*\b(?:message|call)\b/,
  /\bthe (?:person|party|number) you (?:have )?(?:called|dialed|are calling|are trying to reach)\b/,
  /\bdej[ea] (?:su|tu|un) mensaje\b/,
  /\bdespu[eé]s de(?:l tono| la señal)\b/,
  /\bbuz[oó]n de voz\b/,
  /\blaissez (?:un|votre) message\b/,
  /\bapr[eè]s le (?:bip|signal)\b/,
  /\bmessagerie\b/,
];

const soundsLikeMachine = (words: string): boolean => {
  const heard = words.toLowerCase();
  return MACHINE_WORDS.some((pattern) => pattern.test(heard));
};

/** The estimated duration of speech: people speak some 150 words a minute, and machines a little slower. */
const WORD_MS = 400;

/** The duration of an utterance: measured when partial results came, else estimated from its words. */
const spokenMs = (words: string, first_heard_ms: number | null, now_ms: number): number =>
  first_heard_ms === null ? words.trim().split(/\s+/).length * WORD_MS : now_ms - first_heard_ms;

/** Whether the speech so far can only come from a machine. */
export const isMachine = (
  screening: Extract<Screening, { version: 1 }>,
  words: string,
  first_heard_ms: number | null,
  now_ms: number,
): boolean =>
  soundsLikeMachine(words) || spokenMs(words, first_heard_ms, now_ms) > screening.speech_threshold_ms;
