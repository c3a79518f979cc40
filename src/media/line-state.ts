import { type AwaitedInput, FREE } from "../workflows/awaited-input.ts";
import type { SoundState } from "./caller-sound.ts";
import type { EndOfTurn, Pauses } from "./end-of-turn.ts";

/*
 * What turn-taking works on (`turn-taking.ts`): what a line tells of, what is to be done, and the state between two events.
 */

export type LineEvent =
  /** A voice began or ended, at the moment `since`; it is noticed later. `words_follow`: its final words are sure to come. */
  | { type: "voice"; speaks: boolean; since?: number; words_follow?: boolean }
  /** What the microphone says of the sound itself, before any engine (`caller-sound.ts`). */
  | ({ type: "sound" } & SoundState)
  /** `words_follow`: a later voice has begun, and has final words of its own. */
  | { type: "words"; text: string; final: boolean; words_follow?: boolean }
  /** Our speech began to play, or all of it was played. `asks`: it asked a question, so "yes" is an answer. */
  | { type: "ours"; playing: boolean; interruptible: boolean; asks: boolean }
  | { type: "awaited"; awaited: AwaitedInput }
  /** The engine that hears judges turns itself, and says that theirs is over; its words came before. */
  | { type: "turn_over" }
  | { type: "tick" };

export type LineEffect =
  /** Stop sending at once; remember what was played. */
  | { type: "hold" }
  /** Continue from the beginning of the word that was cut off. */
  | { type: "go_on"; reason: "backchannel" | "no-words" }
  /** They took the turn: discard what was not heard. */
  | { type: "take" }
  /** They may have finished: an answer to these words may be prepared. Nothing of it is stored or said. */
  | { type: "eager"; text: string }
  /** They had not: what was prepared is dropped. */
  | { type: "resumed" }
  /** Their words so far, empty: they said none after all. `final`: they have finished, with the reason why we think so. */
  | { type: "speech"; text: string; final: false }
  | { type: "speech"; text: string; final: true; silence_ms: number; reason: EndOfTurn["reason"] };

export type LineState = {
  /** Whether the caller's voice is heard, and since when that is so. */
  speaks: boolean;
  since: number;
  /** The current voice was judged to be noise, so it does not interrupt us again. */
  noise: boolean;
  /** The finished utterances of this turn, and the current one. */
  finals: string[];
  partial: string;
  /** Since when the words so far mean an interruption; null: they don't. */
  takes_since: number | null;
  sound: SoundState;
  /** Since when something sounds that may become a voice; null: nothing does. */
  stirs_since: number | null;
  /** We stopped for a sound that is not yet known to be a voice. */
  tentative: boolean;
  /** The words for which an answer is being prepared; null: for none. */
  eager: string | null;
  /** How long after its end the words of an utterance are waited for, in milliseconds; null: all are recognized. */
  owed_ms: number | null;
  /** What the last turn took of an utterance before its words were final. They may still come, and are no new turn. */
  taken_early: string | null;
  ours: { phase: "silent" | "speaking" | "held"; since: number; interruptible: boolean; asks: boolean };
  awaited: AwaitedInput;
  pauses: Pauses;
  /** The next moment at which a tick has something to do; null: none. */
  wake: number | null;
};

export const newLine = (at: number): LineState => ({
  speaks: false,
  since: at,
  noise: false,
  finals: [],
  partial: "",
  takes_since: null,
  owed_ms: null,
  taken_early: null,
  sound: { stirs: false, far: false, hums: false },
  stirs_since: null,
  tentative: false,
  eager: null,
  ours: { phase: "silent", since: at, interruptible: true, asks: false },
  awaited: FREE,
  pauses: null,
  wake: null,
});
