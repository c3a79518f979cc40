import { unreachable } from "../base/errors.ts";
import { type AwaitedInput, FREE } from "../workflows/awaited-input.ts";
import { isBackchannel, takesTurn } from "./caller-words.ts";
import { type EndOfTurn, endOfTurn, type Pauses, withPause } from "./end-of-turn.ts";

/*
 * Who speaks when, on a line that we hear ourselves: what the ear tells, and when, turns the state into the next and says
 * what is to be done. Pure; moments are milliseconds of the clock.
 *
 *     silent ⇄ speaking → held → speaking     the caller said "mm-hm", or nothing that was a word: we go on
 *                          held → silent       they took the turn: what was not heard is cut
 *
 * Ears are always open. Speaking over us is judged in two stages: after a moment of voice we only fall silent, at a word
 * that means it the turn is theirs. What ends a turn is a silence, as long as what is awaited allows.
 */

type TurnTakingSettings = { language: string };

export type LineEvent =
  /** A voice began or ended; `at` is when the ear noticed. */
  | { type: "voice"; speaks: boolean }
  | { type: "words"; text: string; final: boolean }
  /** We began to be heard, or all of it was played. `asks`: a question is open, so that "yes" is an answer to it. */
  | { type: "ours"; playing: boolean; interruptible: boolean; asks: boolean }
  | { type: "awaited"; awaited: AwaitedInput }
  | { type: "tick" };

export type LineEffect =
  /** Stop sending at once; what was played is remembered. */
  | { type: "hold" }
  /** Speak on, from the beginning of the word that was cut. */
  | { type: "go_on"; reason: "backchannel" | "no-words" }
  /** They took the turn: what was not heard never will be. */
  | { type: "take" }
  /** What they say, as heard so far; `final`: they are done, and why we think so. */
  | { type: "speech"; text: string; final: false }
  | { type: "speech"; text: string; final: true; silence_ms: number; reason: EndOfTurn["reason"] };

export type LineState = {
  /** The caller's voice, and since when it speaks or is silent. */
  speaks: boolean;
  since: number;
  /** The voice that speaks now was judged to be a noise: it does not stop us again. */
  noise: boolean;
  /** Utterances of this turn that are whole, and the one on its way. */
  finals: string[];
  partial: string;
  /** The ear owes us the words of an utterance that ended. */
  owed: boolean;
  ours: { phase: "silent" | "speaking" | "held"; since: number; interruptible: boolean; asks: boolean };
  awaited: AwaitedInput;
  pauses: Pauses;
  /** The next moment at which a tick has something to do; null: none. */
  wake: number | null;
};

/** So much voice over our words makes us fall silent. The ear has noticed it 100 ms late. */
const HOLD_AFTER_MS = 80;
/** A voice without words, so long after we fell silent, was a cough or a door. */
const NO_WORDS_MS = 1500;
/** Words come after the voice; an ear that owes them is waited for no longer. */
const OWED_MS = 700;

export const newLine = (at: number): LineState => ({
  speaks: false,
  since: at,
  noise: false,
  finals: [],
  partial: "",
  owed: false,
  ours: { phase: "silent", since: at, interruptible: true, asks: false },
  awaited: FREE,
  pauses: null,
  wake: null,
});

export function takeLineEvent(
  settings: TurnTakingSettings,
  before: LineState,
  event: LineEvent,
  at: number,
): { state: LineState; effects: LineEffect[] } {
  const line = new LineDraft(settings, before, at);
  line.take(event);
  line.settle();
  return { state: line.state, effects: line.effects };
}

class LineDraft {
  readonly state: LineState;
  readonly effects: LineEffect[] = [];
  readonly #settings: TurnTakingSettings;
  readonly #at: number;

  constructor(settings: TurnTakingSettings, before: LineState, at: number) {
    this.#settings = settings;
    this.#at = at;
    this.state = { ...before, ours: { ...before.ours }, wake: null };
  }

  get #text(): string {
    return [...this.state.finals, this.state.partial].filter((part) => part !== "").join(" ");
  }

  take(event: LineEvent) {
    const { state } = this;
    switch (event.type) {
      case "voice":
        return this.#takeVoice(event.speaks);
      case "words":
        return this.#takeWords(event.text.trim(), event.final);
      case "ours":
        return this.#takeOurs(event);
      case "awaited":
        state.awaited = event.awaited;
        return;
      case "tick":
        return;
      default:
        return unreachable(event);
    }
  }

  #takeVoice(speaks: boolean) {
    const { state } = this;
    if (speaks === state.speaks) return;
    // A pause inside what they say, and not the wait before it.
    if (speaks && this.#text !== "") state.pauses = withPause(state.pauses, this.#at - state.since);
    state.speaks = speaks;
    state.since = this.#at;
    state.noise = false;
    if (!speaks) state.owed = true;
  }

  #takeWords(text: string, final: boolean) {
    const { state } = this;
    if (final) {
      state.owed = false;
      state.partial = "";
      if (text !== "") state.finals = [...state.finals, text];
    } else state.partial = text;
    // While we speak, words wait until it is known whose turn it is.
    if (state.ours.phase === "silent" && this.#text !== "") {
      this.effects.push({ type: "speech", text: this.#text, final: false });
    }
  }

  #takeOurs({ playing, interruptible, asks }: Extract<LineEvent, { type: "ours" }>) {
    const { state } = this;
    if (playing) {
      if (state.ours.phase === "held") return;
      const since = state.ours.phase === "speaking" ? state.ours.since : this.#at;
      state.ours = { phase: "speaking", since, interruptible, asks };
    } else {
      state.ours = { ...state.ours, phase: "silent", since: this.#at };
      if (this.#text !== "") this.effects.push({ type: "speech", text: this.#text, final: false });
    }
  }

  settle() {
    const { ours } = this.state;
    if (ours.phase === "speaking") this.#judgeVoice();
    else if (ours.phase === "held") this.#judgeWords();
    if (this.state.ours.phase === "silent") this.#judgeSilence();
  }

  /** Stage one: a voice over our words. */
  #judgeVoice() {
    const { state } = this;
    const { ours } = state;
    if (!ours.interruptible || !state.speaks || state.noise) return this.#forgetBackchannel();
    const due = Math.max(state.since, ours.since) + HOLD_AFTER_MS;
    if (this.#at < due) return this.#wakeAt(due);
    state.ours = { ...ours, phase: "held", since: this.#at };
    this.effects.push({ type: "hold" });
    this.#judgeWords();
  }

  /** "Mm-hm" said too shortly to stop us was not meant as a turn; other words wait for our end. */
  #forgetBackchannel() {
    const { state } = this;
    const isOver = !state.speaks && !state.owed;
    if (isOver && !state.ours.asks && isBackchannel(this.#text, this.#settings.language)) this.#forget();
    else if (state.ours.interruptible && takesTurn(this.#text, this.#settings.language)) this.#takeTurn();
  }

  /** Stage two: we are silent, and words tell whether they mean it. */
  #judgeWords(): void {
    const { state } = this;
    const { language } = this.#settings;
    const text = this.#text;
    // Words that never became final are taken for what they are.
    if (state.owed && text !== "" && this.#at >= state.since + OWED_MS) state.owed = false;
    const isOver = !state.speaks && !state.owed;
    const due = state.ours.since + NO_WORDS_MS;
    if (text === "") {
      if (this.#at >= due) this.#goOn("no-words");
      else this.#wakeAt(due);
    } else if (takesTurn(text, language)) this.#takeTurn();
    else if (isOver && (state.ours.asks || !isBackchannel(text, language))) this.#takeTurn();
    else if (isOver) this.#goOn("backchannel");
    else if (!state.speaks) this.#wakeAt(state.since + OWED_MS);
  }

  #takeTurn() {
    const { state } = this;
    state.ours = { ...state.ours, phase: "silent", since: this.#at };
    this.effects.push({ type: "take" }, { type: "speech", text: this.#text, final: false });
  }

  #goOn(reason: "backchannel" | "no-words") {
    const { state } = this;
    this.#forget();
    state.noise = state.speaks;
    state.ours = { ...state.ours, phase: "speaking", since: this.#at };
    this.effects.push({ type: "go_on", reason });
  }

  #forget(): void {
    this.state.finals = [];
    this.state.partial = "";
  }

  /** The turn is theirs: a silence ends it. */
  #judgeSilence() {
    const { state } = this;
    const text = this.#text;
    if (state.speaks || text === "") return;
    const { delay_ms, reason } = endOfTurn(text, state.awaited, state.pauses, this.#settings.language);
    // The ear may still correct the last words.
    const due = state.since + (state.owed ? Math.max(delay_ms, OWED_MS) : delay_ms);
    if (this.#at < due) return this.#wakeAt(due);
    this.effects.push({ type: "speech", text, final: true, silence_ms: this.#at - state.since, reason });
    this.#forget();
    state.owed = false;
  }

  #wakeAt(moment: number): void {
    const { state } = this;
    state.wake = state.wake === null ? moment : Math.min(state.wake, moment);
  }
}
