import type { SpokenForm } from "../speech/spoken-form.ts";
import type { AwaitedInput } from "../workflows/awaited-input.ts";

/**
 * A running call as text: what a voice carrier that listens and speaks for us (speech to text, text to speech) tells of
 * it, and what it is told. A carrier's adapter turns its own wire messages into these, one for one, and back.
 */
export type CallInput =
  /** The line is open; nothing was said yet. */
  | { type: "open"; sid: string }
  /**
   * What the person says: as heard so far, or, `final`, as heard to its end. Empty: what was heard so far was no word after
   * all. `lang` is a BCP 47 tag.
   */
  | { type: "speech"; text: string; final: boolean; lang: string | null }
  /** The person may have finished with these words: an answer may be prepared, and nothing of it stored or said. */
  | { type: "maybe_over"; text: string }
  /** They had not finished: what was prepared is dropped. */
  | { type: "resumed" }
  /** The person spoke over us; `heard` is what came out of our last words until then. */
  | { type: "interrupted"; heard: string }
  /** One key: 0–9, * or #. */
  | { type: "digit"; digit: string }
  /** All that we said so far has been played to its end; `unsaid`: but for what the voice failed at. */
  | { type: "played"; unsaid?: boolean }
  /**
   * Who answered our call, by what is heard on a line of our own; told again where later sounds correct it. `firm`: by
   * their words or tones, and not only by how long they speak.
   */
  | { type: "answerer"; by: AnsweredKind; firm: boolean }
  | { type: "fault"; message: string }
  /** Nothing hears the person any more. */
  | { type: "deaf"; message: string }
  /**
   * The line is gone, whoever closed it. `lost`: it broke, and whoever was on it may come back on another. `heard`: how
   * much of our last words was played by then, where the line knows it.
   */
  | { type: "closed"; lost?: boolean; heard?: string };

/** `unavailable`: the network says that the number can't be reached. `screener`: asks who calls before it puts through. */
export type AnsweredKind =
  | "human"
  | "voicemail"
  | "unavailable"
  | "screener"
  | "ivr"
  | "hold"
  | "fax"
  | "unknown";

export type CallOutput =
  /**
   * Words to speak now; a sentence may come in parts, `last` ends it. `lang` null: as before. Words, even none at all,
   * end a looped sound. `spoken`: the words as the voice should say them, where that differs; the line reports what was heard in this form.
   */
  | {
      type: "say";
      text: string;
      spoken?: SpokenForm;
      last: boolean;
      lang: string | null;
      interruptible: boolean;
    }
  /** A sound, over and over until something is said where `loop` is set. */
  | { type: "play"; url: string; loop: boolean }
  /** Press keys for the person's side to hear: 0–9, * and #; `w` waits half a second. */
  | { type: "digits"; digits: string }
  /**
   * What follows is for a voicemail: it waits for the beep. `forget`: what was not heard yet is dropped. Lines that a
   * carrier speaks on are never given it.
   */
  | { type: "after_beep"; forget: boolean }
  /** Listen and speak in another language, with the voice its configuration gave it. */
  | { type: "language"; lang: string }
  /** Ends what we do on the line: hang up, or go on as told (`next`), e.g. to another number. */
  | { type: "end"; next: CallContinuation };

export type CallContinuation =
  | { action: "hangup" }
  /** Connect the person with another number; what comes of it arrives as a transfer result. */
  | { action: "dial"; number: string; caller_id: string | null; detect_answerer: boolean }
  /** A transfer did not come about: open the line once more, as at first, so that the agent goes on. */
  | { action: "reopen"; call_id: string; token: string; voice: CallVoice; is_streamed: boolean };

/** How the carrier should listen and speak, told when the line is opened. */
export type CallVoice = {
  /** The first is spoken and heard first; each with its voice. */
  languages: {
    code: string;
    provider: string | null;
    voice: string | null;
    speed: number | null;
    pitch: number | null;
  }[];
  interruptible_by: "none" | "dtmf_only" | "speech_only" | "all";
  /** Words the carrier should expect to hear. */
  hints: string[];
  /** We have called: a line of our own finds out who answered. */
  finds_answerer?: boolean;
};

/** The open line: outputs are sent in order; sending on a closed one does nothing. */
export type CallLine = {
  send(output: CallOutput): void;
  close(): void;
  /** What the conversation waits for next, for a line that decides itself when an answer is over. */
  awaits?(awaited: AwaitedInput): void;
  /** Makes the audio of words that will probably be said next. */
  prepare?(text: string): void;
  /** Stops speaking; what came out of our last words until then. Only a line whose audio is ours knows it. */
  silence?(): string;
  /** What was heard and spoken so far, of a line whose audio is ours. */
  use?(): { hearing_ms: number; speaking_ms: number; cost_usd: number | null };
};
