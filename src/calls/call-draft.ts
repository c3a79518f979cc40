import type { CallOutput } from "../channels/call-socket.ts";
import { LONGEST_ANNOUNCEMENT_MS } from "../media/after-beep.ts";
import type { Answerer } from "../sessions/answerer.ts";
import { spokenForm } from "../speech/spoken-form.ts";
import { wordsOf } from "../turns/language/language-words.ts";
import type { CallSettings, Screening } from "./call-settings.ts";
import {
  type CallEffect,
  type CallEnd,
  type CallState,
  type Closing,
  gatheredText,
  nothingGathered,
  type RunningTurn,
  type SpokenPiece,
  type Timer,
} from "./call-state.ts";
import { measure, type SpokenWords } from "./spoken-text.ts";

/** An upper bound of the time to speak a text, for carriers that don't report the end of playback. */
const SLOWEST_CHARACTER_MS = 150;
const PLAYED_SLACK_MS = 5000;
/** Time for the last words after the maximum duration of the call. */
const LAST_WORDS_MS = 15_000;

/** One step of a call in progress: its new state and its effects. Works on a copy, so that a step stays pure. */
export class CallDraft {
  readonly state: CallState;
  readonly effects: CallEffect[] = [];
  readonly settings: CallSettings;
  readonly at: number;

  constructor(settings: CallSettings, state: CallState, at: number) {
    this.settings = settings;
    this.at = at;
    this.state = {
      ...state,
      timers: { ...state.timers },
      turn: state.turn && { ...state.turn },
      gathered: { ...state.gathered },
      screening: { ...state.screening },
      closing: state.closing && { ...state.closing },
    };
  }

  /** Who answered our call; reported once. */
  found(found: Answerer): void {
    const { state } = this;
    if (state.answerer !== found) this.effects.push({ type: "answerer", found });
    state.answerer = found;
    if (found === "MACHINE") state.screening.machine = true;
  }

  /** The settings of voicemail detection before the greeting (mode v1); null: none. */
  get listening(): Extract<Screening, { version: 1 }> | null {
    const { screening } = this.settings;
    return screening?.version === 1 ? screening : null;
  }

  /** Nothing is being said, done or heard, so it is the person's turn. */
  isWaiting(): boolean {
    const { state } = this;
    return (
      state.phase === "talking" &&
      !state.turn &&
      !state.greeting &&
      state.pieces.length === 0 &&
      gatheredText(state.gathered) === ""
    );
  }

  wait(timer: Timer, ms: number): void {
    this.state.timers[timer] = this.at + ms;
  }

  send(output: CallOutput): void {
    this.effects.push({ type: "send", output });
  }

  /** `turn` null: outside any turn. `lang` left out: the call's language. */
  say(
    given: string,
    how: { turn: number | null; aside?: boolean; lang?: string | null; interruptible?: boolean },
  ): void {
    const { state } = this;
    const text = given.trim();
    if (text === "") return;
    const language = how.lang ?? state.language;
    const lang = language === state.line_language ? null : language;
    state.line_language = language;
    const interruptible = (how.interruptible ?? true) && this.settings.interruptibility !== "none";
    const words = this.#voiced(text, language);
    const piece = { ...words, turn: how.turn, aside: how.aside ?? false };
    if (words.spoken?.text.trim() === "") {
      this.#passOver(piece);
      return;
    }
    this.send({ type: "say", ...words, last: true, lang, interruptible });
    if (state.pieces.length === 0) state.speaking_since = this.at;
    state.pieces = [...state.pieces, piece];
    state.sounds = false;
    const unplayed = state.pieces.reduce((sum, { text, spoken }) => sum + (spoken?.text ?? text).length, 0);
    const held_ms = state.awaits_beep ? LONGEST_ANNOUNCEMENT_MS : 0;
    this.wait("played", unplayed * SLOWEST_CHARACTER_MS + PLAYED_SLACK_MS + held_ms);
    delete state.timers.sound;
    delete state.timers.input;
    delete state.timers.overall;
  }

  /** Nothing of it is to be said, such as of an emoji: it counts as heard once what comes before it is. */
  #passOver(piece: SpokenPiece): void {
    const { pieces, turn } = this.state;
    if (pieces.length > 0) this.state.pieces = [...pieces, piece];
    else if (turn && piece.turn === turn.number && !piece.aside) turn.heard += measure(piece.text);
  }

  #voiced(text: string, language: string): SpokenWords {
    const spoken = spokenForm(text, this.settings, language);
    return spoken.text === text ? { text } : { text, spoken };
  }

  /** Ends a looped sound that is still playing, because no words have followed it. */
  hush(): void {
    this.state.sounds = false;
    this.send({ type: "say", text: "", last: true, lang: null, interruptible: true });
  }

  /** What is said from now on is for a voicemail, on a line that hears the beep. `forget`: and nothing before it. */
  sayAfterBeep({ forget }: { forget: boolean }): void {
    const { state } = this;
    if (!this.settings.hears_answerer || state.awaits_beep) return;
    state.awaits_beep = true;
    this.send({ type: "after_beep", forget });
    if (!forget) return;
    const unheard = state.pieces.reduce((sum, piece) => sum + (piece.aside ? 0 : measure(piece.text)), 0);
    if (unheard > 0) this.effects.push({ type: "cut", unheard });
    this.quiet();
  }

  /** Everything given to the line was played, or never will be. */
  quiet(): void {
    this.state.pieces = [];
    delete this.state.timers.played;
  }

  stopTurn(turn: RunningTurn): void {
    if (turn.interrupted) return;
    turn.interrupted = true;
    this.effects.push({ type: "interrupt", turn: turn.number });
  }

  dial(number: string, by_agent: boolean): void {
    this.close({ act: "dial", dial: { number, ...this.settings.transfer }, by_agent });
  }

  /** Stored on its own, because it belongs to no turn. */
  sayOutsideTurns(text: string): void {
    this.effects.push({ type: "note", role: "agent", text, aside: false });
    this.say(text, { turn: null, interruptible: false });
  }

  /** In the call's language. */
  goodbye(reason: CallEnd): void {
    this.sayOutsideTurns(wordsOf(this.state.language).goodbye);
    this.close({ act: "hangup", reason, voicemail: false });
  }

  /** Ends the call soon, even if the last words were not spoken by then. */
  partWith(reason: CallEnd): void {
    const { state } = this;
    if (state.turn) this.stopTurn(state.turn);
    if (!state.closing) this.goodbye(reason);
    state.last_words = true;
    this.wait("longest", LAST_WORDS_MS);
  }

  /** Stops listening; words that are being spoken are finished. */
  close(closing: Closing): void {
    const { state } = this;
    state.phase = "talking";
    state.closing ??= closing;
    state.gathered = nothingGathered();
    state.captured = [];
    for (const timer of ["input", "overall", "phrase", "sound", "screen", "screen_end"] as const)
      delete state.timers[timer];
  }

  /** Everything was spoken: hangs up or hands the line over, as planned. */
  finish() {
    const { closing } = this.state;
    if (closing?.act === "dial") {
      const { dial, by_agent } = closing;
      return this.over({ type: "transferring", dial, by_agent });
    }
    if (closing?.voicemail) this.effects.push({ type: "voicemail_left" });
    this.over({ type: "end", reason: closing?.reason ?? "max-duration", hangs_up: true });
  }

  /** At once: words that are being spoken are cut off. */
  hangUp(): void {
    const { state } = this;
    if (state.turn) this.stopTurn(state.turn);
    this.send({ type: "end", next: { action: "hangup" } });
    this.over({ type: "end", reason: "operator", hangs_up: false });
  }

  over(effect: CallEffect): void {
    this.effects.push(effect);
    this.state.phase = "over";
    this.state.turn = null;
    this.state.pieces = [];
    this.state.timers = {};
  }
}
