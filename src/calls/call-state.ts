import type { CallInput, CallOutput } from "../channels/call-socket.ts";
import type { Answerer } from "../sessions/answerer-notes.ts";
import type { SessionAction } from "../tool-calls/tool-outcome.ts";
import type { SpokenPart } from "../turns/greeting.ts";
import type { TurnEvent } from "../turns/turn-event.ts";
import type { Dial } from "./call-settings.ts";
import type { Unspoken } from "./spoken-text.ts";

/** What can happen to a call, from the line, from the engine, or because time passes. */
export type CallEvent =
  | CallInput
  /** A moment that `nextWake` named may have come. */
  | { type: "tick" }
  /** What the agent opens with, as it was stored; `wants_turn`: it goes on speaking by itself. */
  | { type: "greeting"; parts: SpokenPart[]; wants_turn: boolean; action: SessionAction | null }
  | { type: "turn"; turn: number; event: TurnEvent }
  /** Null: it failed for a reason of ours. */
  | { type: "turn_over"; turn: number; result: TurnOutcome | null }
  /** The carrier listened to who answered. */
  | { type: "answerer"; found: Answerer }
  /** The platform is being stopped. */
  | { type: "stop" };

export type TurnOutcome = {
  /** As stored, in order. */
  messages: string[];
  action: SessionAction | null;
  /** The model gave no answer, and the person heard an apology. */
  failed: boolean;
  /** Who answered, as far as the turn's tools told. */
  answerer: Answerer | null;
};

/** Why we end a call; `user` when the other side did. */
export type CallEnd = "user" | "agent" | "idle" | "max-duration" | "error";

/** What has to be done, in this order. */
export type CallEffect =
  | { type: "send"; output: CallOutput }
  /** Open the workflows and greet; answered by `greeting`. */
  | { type: "greet" }
  /** Run a turn; told of by `turn` and `turn_over`. Null: the agent speaks unasked. */
  | { type: "run"; turn: number; text: string | null; answerer: Answerer | null }
  /** The running turn's model is not to go on; what a tool does is brought to its end. */
  | { type: "interrupt"; turn: number }
  /** The last so many characters (`measure`) of the agent's stored words were never heard. */
  | { type: "cut"; unheard: number }
  /** Said while a turn runs: in the transcript, not in what the model reads back. */
  | { type: "aside"; text: string }
  /** Said or heard between turns. */
  | { type: "note"; role: "agent" | "user"; text: string; aside: boolean }
  | { type: "silence"; count: number }
  | { type: "answerer"; found: Answerer }
  | { type: "voicemail_left" }
  /** Give the line to somebody else, once that is stored; what comes of it is told to `VoiceCalls.transferEnded`. */
  | { type: "transferring"; dial: Dial; by_agent: boolean }
  | { type: "end"; reason: CallEnd }
  /** The line broke: the call waits for its next one. */
  | { type: "lost" };

/** Something to do once everything was spoken. */
export type Closing =
  | { act: "hangup"; reason: CallEnd; voicemail: boolean }
  | { act: "dial"; dial: Dial; by_agent: boolean };

/** A piece that was given to the line and is not known to have been played. `turn` null: of the greeting. */
type Piece = { text: string; turn: number | null; aside: boolean };

export type RunningTurn = {
  number: number;
  /** The person's words began it. */
  spoke: boolean;
  interrupted: boolean;
  /** Of its own words, how much was played to its end (`measure`). */
  heard: number;
  /** Words of before this turn that were still being spoken and were cut. */
  unheard_before: number;
  unspoken: Unspoken;
  /** The model's present words, and those before them whose message is still to come. */
  written: string;
  announced: string[];
  /** Tools that run. */
  tools: string[];
  phrases: number;
};

export type Timer = "input" | "overall" | "phrase" | "sound" | "played" | "screen" | "screen_end" | "longest";

/** Words as they come in. `ready`: the person is done. */
type Gathered = {
  finals: string[];
  partial: string;
  digits: string;
  ready: boolean;
  at_once: boolean;
};

export type Captured =
  | { kind: "speech"; text: string; final: boolean; at: number }
  | { kind: "digit"; digit: string; at: number };

export type CallState = {
  phase: "unopened" | "screening" | "talking" | "over";
  language: string;
  /** BCP 47, as the line was told last. */
  line_language: string;
  timers: Partial<Record<Timer, number>>;
  greeting: boolean;
  pieces: Piece[];
  speaking_since: number;
  /** Listening begins here; what is said before is the tail of something else. */
  listens_from: number;
  turn: RunningTurn | null;
  turns: number;
  gathered: Gathered;
  captured: Captured[];
  /** Words that became an input before the carrier called them finished. */
  taken: string;
  silences: number;
  overall_timeouts: number;
  /** A menu of languages is being offered. */
  menu: boolean;
  /** A looped sound plays. */
  sounds: boolean;
  screening: { first_heard: number | null; words: string; machine: boolean };
  answerer: Answerer | null;
  closing: Closing | null;
  /** The call is ended soon, said or not. */
  last_words: boolean;
};

export const nothingGathered = (): Gathered => ({
  finals: [],
  partial: "",
  digits: "",
  ready: false,
  at_once: false,
});

export const gatheredText = ({ finals, partial, digits }: Gathered): string =>
  [...finals, partial, digits]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" ");

export const newCall = (language: string): CallState => ({
  phase: "unopened",
  language,
  line_language: language,
  timers: {},
  greeting: false,
  pieces: [],
  speaking_since: 0,
  listens_from: 0,
  turn: null,
  turns: 0,
  gathered: nothingGathered(),
  captured: [],
  taken: "",
  silences: 0,
  overall_timeouts: 0,
  menu: false,
  sounds: false,
  screening: { first_heard: null, words: "", machine: false },
  answerer: null,
  closing: null,
  last_words: false,
});

/** The earliest moment at which a tick has something to do; null: none. */
export function nextWake(state: CallState): number | null {
  const moments = Object.values(state.timers).filter((moment) => moment !== undefined);
  return state.phase === "over" || moments.length === 0 ? null : Math.min(...moments);
}
