import type { AnsweredKind, CallInput, CallOutput } from "../channels/call-socket.ts";
import type { Answerer, AnswererNote } from "../sessions/answerer.ts";
import type { SessionAction } from "../tool-calls/tool-outcome.ts";
import type { SpokenPart } from "../turns/greeting.ts";
import type { TurnEvent } from "../turns/turn-event.ts";
import type { Dial } from "./call-settings.ts";
import type { SpokenWords, Unspoken } from "./spoken-text.ts";

/** An event of a call: from the line, from the engine, or because time passed. */
export type CallEvent =
  | CallInput
  /** A time given by `nextWake` may have come. */
  | { type: "tick" }
  /** The agent's greeting, as stored; `wants_turn`: the agent continues without waiting for the person. */
  | { type: "greeting"; parts: SpokenPart[]; wants_turn: boolean; action: SessionAction | null }
  | { type: "turn"; turn: number; event: TurnEvent }
  /** Null: the turn failed by an internal error. */
  | { type: "turn_over"; turn: number; result: TurnOutcome | null }
  /** The carrier's answering machine detection. */
  | { type: "answerer"; found: Answerer }
  /** An operator ends the call. `heard` as of a line that is closed. */
  | { type: "hang_up"; heard?: string }
  /** The platform is being stopped. */
  | { type: "stop" };

export type TurnOutcome = {
  /** The words as stored, in order. */
  messages: string[];
  action: SessionAction | null;
  /** Whether the model failed and the person heard an apology. */
  failed: boolean;
  /** Who answered, if a tool of the turn reported it. */
  answerer: AnswererNote | null;
};

/** Why a call ends; `user`: the other side ended it. */
export type CallEnd = "user" | "agent" | "idle" | "max-duration" | "error" | "operator";

/** Effects, performed in this order. */
export type CallEffect =
  | { type: "send"; output: CallOutput }
  /** Open the workflows and greet; answered by `greeting`. */
  | { type: "greet" }
  /** Run a turn; answered by `turn` events and `turn_over`. Null: the agent speaks without input. */
  | { type: "run"; turn: number; text: string | null; answerer: AnswererNote | null }
  /** Let the model begin an answer to these words, of which nothing is stored or said before a turn takes it over. */
  | { type: "speculate"; text: string }
  | { type: "forget" }
  /** Stop the running turn's model; its tools finish. */
  | { type: "interrupt"; turn: number }
  /** Cut this many characters (`measure`) from the end of the agent's stored words, which were never heard. */
  | { type: "cut"; unheard: number }
  /** The same of a turn whose words are not all known yet: all but what was heard of them, and what was cut before. */
  | { type: "cut_turn"; turn: number; heard: number; unheard_before: number }
  /** Spoken while a turn runs: part of the transcript, but not of the model's history. */
  | { type: "aside"; text: string }
  /** Spoken or heard between turns. */
  | { type: "note"; role: "agent" | "user"; text: string; aside: boolean }
  | { type: "silence"; count: number }
  | { type: "answerer"; found: Answerer }
  | { type: "voicemail_left" }
  /** Transfer the line, once that is stored; the result comes to `VoiceCalls.transferEnded`. */
  | { type: "transferring"; dial: Dial; by_agent: boolean }
  /** `hangs_up`: the line is open, and is closed once this is stored. */
  | { type: "end"; reason: CallEnd; hangs_up: boolean }
  /** The line broke: the call waits for its next one. */
  | { type: "lost" };

/** What happens once everything was spoken. */
export type Closing =
  | { act: "hangup"; reason: CallEnd; voicemail: boolean }
  | { act: "dial"; dial: Dial; by_agent: boolean };

/** Speech given to the line whose playback is not confirmed yet. `turn` null: part of the greeting. */
export type SpokenPiece = SpokenWords & { turn: number | null; aside: boolean };

export type RunningTurn = {
  number: number;
  /** Whether the person's input started it. */
  spoke: boolean;
  interrupted: boolean;
  /** How much of the turn's words was fully played (`measure`). */
  heard: number;
  /** Length of earlier words that were still being spoken and were cut off. */
  unheard_before: number;
  unspoken: Unspoken;
  /** The model's current words, and earlier ones whose message is not stored yet. */
  written: string;
  announced: string[];
  /** Number of running tools. */
  tools: string[];
  phrases: number;
};

export type Timer =
  | "input"
  | "overall"
  | "words"
  | "phrase"
  | "sound"
  | "played"
  | "screen"
  | "screen_end"
  | "longest";

/** `open`: words that may still be corrected. */
type InputPart = { kind: "speech"; text: string; open: boolean } | { kind: "keys"; text: string };

/** The input being collected, in the order in which it began. `ready`: the person has finished. */
type Gathered = {
  heard: InputPart[];
  ready: boolean;
  at_once: boolean;
};

export type Captured =
  | { kind: "speech"; text: string; final: boolean; at: number }
  | { kind: "digit"; digit: string; at: number };

export type CallState = {
  phase: "unopened" | "screening" | "talking" | "over";
  language: string;
  /** BCP 47; the language last sent to the line. */
  line_language: string;
  timers: Partial<Record<Timer, number>>;
  greeting: boolean;
  pieces: SpokenPiece[];
  speaking_since: number;
  /** When listening starts; earlier speech belongs to the input before. */
  listens_from: number;
  turn: RunningTurn | null;
  turns: number;
  gathered: Gathered;
  captured: Captured[];
  /** Words used as an input before the carrier marked them final. */
  taken: string;
  silences: number;
  overall_timeouts: number;
  /** A menu of languages is being offered. */
  menu: boolean;
  /** A looped sound plays. */
  sounds: boolean;
  screening: { first_heard: number | null; words: string; machine: boolean };
  answerer: Answerer | null;
  /** Who answered by what our own line hears, which is better than the carrier's word; null: nothing yet. */
  heard_by: AnsweredKind | null;
  /** A screener was told who calls and why: whoever it may bring is waited for. */
  screened: boolean;
  /** The line was told to hold what is said until a voicemail records. */
  awaits_beep: boolean;
  closing: Closing | null;
  /** When the call ends even if the last words were not spoken. */
  last_words: boolean;
};

export const nothingGathered = (): Gathered => ({
  heard: [],
  ready: false,
  at_once: false,
});

export const gatheredText = ({ heard }: Gathered): string =>
  heard
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join(" ");

/** Words that may still be corrected stand where they began, also when they come again or are final. */
export function withSpeech(heard: InputPart[], text: string, final: boolean): InputPart[] {
  const speech: InputPart = { kind: "speech", text, open: !final };
  const at = heard.findIndex(isOpen);
  return at < 0 ? [...heard, speech] : heard.with(at, speech);
}

export const isOpen = (heard: InputPart): boolean => heard.kind === "speech" && heard.open;

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
  heard_by: null,
  screened: false,
  awaits_beep: false,
  closing: null,
  last_words: false,
});

/** The earliest moment at which a tick has something to do; null: none. */
export function nextWake(state: CallState): number | null {
  const moments = Object.values(state.timers).filter((moment) => moment !== undefined);
  return state.phase === "over" || moments.length === 0 ? null : Math.min(...moments);
}
