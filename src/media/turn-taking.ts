import { unreachable } from "../base/errors.ts";
import { countMeaningful } from "../base/writing/words.ts";
import { behindWords, countWords } from "../speech/streaming/taken-words.ts";
import type { SoundState } from "./caller-sound.ts";
import { type EndOfTurn, endOfTurn, withPause } from "./end-of-turn.ts";
import type { LineEffect, LineEvent, LineState } from "./line-state.ts";
import { isBackchannel, plainWords, takesTurn } from "./words/caller-words.ts";

/*
 * Turn-taking on audio lines of our own, as a state machine: events of speech recognition and time in; next state and
 * effects out. Pure; times are milliseconds of the clock.
 *
 *     silent ⇄ speaking → held → speaking     the caller said "mm-hm", or nothing that was a word: we go on
 *                          held → silent       they took the turn: what was not heard is cut
 *
 * Recognition never pauses. Speech over our words is judged in two stages: after a moment of voice we only stop speaking;
 * at a word that means an interruption the turn is theirs. A silence ends a turn; its length depends on the awaited input.
 */

type TurnTakingSettings = { language: string };

/** This much voice over our words, counted from its beginning, makes us stop speaking. */
const HOLD_AFTER_MS = 140;
/** A sound becomes a voice within this time, or it was none. */
const STIR_MS = 240;
/** After this much silence an answer is prepared. */
const EAGER_MS = 150;
/** A voice without words this long after we stopped was a cough or a door. */
const NO_WORDS_MS = 1500;
/** Recognized words arrive after the voice ends; this is the longest wait for them where none may come. */
const OWED_MS = 860;
/** And where they are sure to come: a model on a busy machine takes its time, and half a sentence has the wrong answer. */
const SURE_MS = 2400;
/** Recognition corrects its guesses: "okay" may begin as "no". A guess takes the turn once it has stood for so long. */
const STEADY_MS = 300;

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
        return this.#takeVoice(event);
      case "sound":
        return this.#takeSound(event);
      case "words":
        return this.#takeWords(event);
      case "ours":
        return this.#takeOurs(event);
      case "awaited":
        state.awaited = event.awaited;
        return;
      case "turn_over":
        return this.#takeEnginesEnd();
      case "tick":
        return;
      default:
        return unreachable(event);
    }
  }

  #takeSound({ stirs, far, hums }: SoundState): void {
    const { state } = this;
    if (!stirs) state.stirs_since = null;
    else state.stirs_since ??= this.#at;
    state.sound = { stirs, far, hums };
  }

  #takeVoice({ speaks, since = this.#at, words_follow }: Extract<LineEvent, { type: "voice" }>) {
    const { state } = this;
    if (speaks === state.speaks) return;
    // Only pauses within their speech count, not the wait before it.
    if (speaks && this.#text !== "") state.pauses = withPause(state.pauses, Math.max(0, since - state.since));
    state.speaks = speaks;
    state.since = Math.min(since, this.#at);
    state.noise = false;
    if (speaks) {
      state.tentative = false;
      this.#dropEager();
    }
    if (speaks) state.taken_early = null;
    else state.owed_ms = words_follow ? SURE_MS : OWED_MS;
  }

  #takeWords({ text: said, final, words_follow }: Extract<LineEvent, { type: "words" }>) {
    const { state } = this;
    const before = this.#text;
    const text = this.#notTaken(said.trim());
    if (final) {
      if (!words_follow) state.owed_ms = null;
      state.partial = "";
      if (text !== "") state.finals = [...state.finals, text];
    } else state.partial = text;
    state.takes_since = takesTurn(this.#text, this.#settings.language)
      ? (state.takes_since ?? this.#at)
      : null;
    // While we speak, their words wait until it is decided whose turn it is.
    const isTold = this.#text === "" ? before !== "" : state.ours.phase === "silent";
    if (isTold) this.effects.push({ type: "speech", text: this.#text, final: false });
  }

  /** Of an utterance that went on after its turn, the words beyond; nothing where recognition only corrects what was taken. */
  #notTaken(said: string): string {
    const { taken_early } = this.state;
    if (taken_early === null) return said;
    return behindWords(said, countWords(taken_early));
  }

  #takeOurs({ playing, interruptible, asks }: Extract<LineEvent, { type: "ours" }>) {
    const { state } = this;
    if (playing) {
      if (state.ours.phase === "held") return;
      const begins = state.ours.phase === "silent";
      const since = begins ? this.#at : state.ours.since;
      state.ours = { phase: "speaking", since, interruptible, asks };
      if (begins && interruptible) this.#yieldBeginning();
    } else {
      state.ours = { ...state.ours, phase: "silent", since: this.#at };
      if (this.#text !== "") this.effects.push({ type: "speech", text: this.#text, final: false });
    }
  }

  /** Both would begin together: they go first. */
  #yieldBeginning(): void {
    const { state } = this;
    const speaks = state.speaks && !state.noise && !state.sound.far;
    if (!speaks && state.stirs_since === null) return;
    state.tentative = !speaks;
    state.ours = { ...state.ours, phase: "held" };
    this.effects.push({ type: "hold" });
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
    // People in the background are heard and don't stop us.
    if (state.sound.far) return;
    const due = Math.max(state.since, ours.since) + HOLD_AFTER_MS;
    if (this.#at < due) return this.#wakeAt(due);
    state.ours = { ...ours, phase: "held", since: this.#at };
    this.effects.push({ type: "hold" });
    this.#judgeWords();
  }

  /** A "mm-hm" too short to stop us is no turn; other words wait until we have finished. */
  #forgetBackchannel() {
    const { state } = this;
    const isOver = !state.speaks && state.owed_ms === null;
    if (isOver && this.state.sound.far) this.#forget();
    else if (isOver && !state.ours.asks && this.#isNod()) this.#forget();
    else if (state.ours.interruptible && this.#isSteadyInterruption()) this.#takeTurn();
  }

  /** Stage two: we have stopped, and their words decide whether it is an interruption. */
  #judgeWords(): void {
    const { state } = this;
    const text = this.#text;
    if (state.tentative && text === "") {
      const due = state.stirs_since === null ? this.#at : state.stirs_since + STIR_MS;
      if (this.#at >= due) this.#goOn("no-words");
      else this.#wakeAt(due);
      return;
    }
    // Words that never became final are used as they are.
    if (state.owed_ms !== null && text !== "" && this.#at >= state.since + state.owed_ms)
      state.owed_ms = null;
    const isOver = !state.speaks && state.owed_ms === null;
    const due = state.ours.since + NO_WORDS_MS;
    if (text === "") {
      if (isOver || this.#at >= due) this.#goOn("no-words");
      else this.#wakeAt(due);
    } else if (this.#isSteadyInterruption()) this.#takeTurn();
    else if (isOver && (state.ours.asks || !this.#isNod())) this.#takeTurn();
    else if (isOver) this.#goOn("backchannel");
    else if (!state.speaks) this.#wakeAt(state.since + (state.owed_ms ?? 0));
  }

  /** "Mm-hm", by its words or, where recognition heard a word in it, by its sound. */
  #isNod(): boolean {
    return this.#isHummed || isBackchannel(this.#text, this.#settings.language);
  }

  get #isHummed(): boolean {
    return this.state.sound.hums && countMeaningful(plainWords(this.#text)) <= 2;
  }

  /** Final words count at once, guesses a moment later. */
  #isSteadyInterruption(): boolean {
    const { partial, takes_since } = this.state;
    if (takes_since === null || this.#isHummed || this.state.sound.far) return false;
    const due = partial === "" ? takes_since : takes_since + STEADY_MS;
    if (this.#at < due) this.#wakeAt(due);
    return this.#at >= due;
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
    state.tentative = false;
    state.ours = { ...state.ours, phase: "speaking", since: this.#at };
    this.effects.push({ type: "go_on", reason });
  }

  #forget(): void {
    this.state.finals = [];
    this.state.partial = "";
    this.state.takes_since = null;
  }

  /** The turn is theirs: a silence ends it. */
  #judgeSilence() {
    const { state } = this;
    const text = this.#text;
    // What was heard as a word is none after all.
    if (text === "") return this.#dropEager();
    if (state.speaks) return;
    const { delay_ms, reason } = endOfTurn(text, state.awaited, state.pauses, {
      language: this.#settings.language,
      asked: state.ours.asks,
    });
    // Recognition may still correct the last words.
    const silent_due = state.since + Math.max(delay_ms, state.owed_ms ?? 0);
    this.#prepare(text, silent_due);
    // Something sounds: whether they go on is known in a moment.
    const { stirs_since } = state;
    const stir_due = stirs_since === null ? 0 : stirs_since + STIR_MS;
    const due = Math.max(silent_due, stir_due);
    if (this.#at < due) return this.#wakeAt(due);
    this.#endTurn(text, reason);
  }

  /** Earlier than our own silence; but who dictates pauses longer than an engine that doesn't know what is awaited thinks. */
  #takeEnginesEnd(): void {
    const { ours, awaited, pauses, owed_ms } = this.state;
    if (ours.phase !== "silent" || owed_ms !== null) return;
    const { reason } = endOfTurn(this.#text, awaited, pauses, {
      language: this.#settings.language,
      asked: ours.asks,
    });
    if (reason !== "dictated") this.#endTurn(this.#text, "engine");
  }

  #endTurn(text: string, reason: EndOfTurn["reason"]) {
    const { state } = this;
    if (text === "") return;
    const silence_ms = state.speaks ? 0 : this.#at - state.since;
    state.eager = null;
    this.effects.push({ type: "speech", text, final: true, silence_ms, reason });
    state.taken_early = state.partial === "" ? null : state.partial;
    this.#forget();
    state.owed_ms = null;
  }

  /** While the silence is not long enough yet, an answer to the words so far is prepared. */
  #prepare(text: string, due: number) {
    const { state } = this;
    if (state.eager === text || this.#at >= due) return;
    this.#dropEager();
    const eager = state.since + EAGER_MS;
    if (this.#at < eager) return this.#wakeAt(eager);
    state.eager = text;
    this.effects.push({ type: "eager", text });
  }

  #dropEager(): void {
    if (this.state.eager === null) return;
    this.state.eager = null;
    this.effects.push({ type: "resumed" });
  }

  #wakeAt(moment: number): void {
    const { state } = this;
    state.wake = state.wake === null ? moment : Math.min(state.wake, moment);
  }
}
