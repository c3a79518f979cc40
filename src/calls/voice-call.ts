import { type Clock, steadyClock } from "../base/clock.ts";
import type { CallInput, CallLine } from "../channels/call-socket.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { Answerer } from "../sessions/answerer.ts";
import type { Engine } from "../sessions/engine.ts";
import { spokenForm } from "../speech/spoken-form.ts";
import type { SessionAction } from "../tool-calls/tool-outcome.ts";
import { betweenTurns } from "../turns/between-turns.ts";
import { openWorkflows } from "../turns/open-workflows.ts";
import type { SpeculativeTurn } from "../turns/rounds/speculative-turn.ts";
import { runTurn } from "../turns/turn.ts";
import { TurnControl } from "../turns/turn-control.ts";
import { step } from "./call-machine.ts";
import type { CallSettings, Dial } from "./call-settings.ts";
import {
  type CallEffect,
  type CallEnd,
  type CallEvent,
  type CallState,
  newCall,
  nextWake,
} from "./call-state.ts";
import { cutSpokenWords } from "./cut-words.ts";
import { EarlyAnswer } from "./early-answer.ts";
import { measure } from "./spoken-text.ts";

/** A line is hung up this long after the call's end, even if the end could not be stored by then. */
const HANG_UP_MS = 1500;

/** Effects of a call beyond its own session. Each is safe to repeat. */
export type CallReports = {
  answerer(found: Answerer): Promise<void>;
  transferring(dial: Dial, transfer: Transfer | null): Promise<void>;
  ended(reason: CallEnd): Promise<void>;
  /** The line broke; another one of this call may follow. */
  lost(): Promise<void>;
};

/** When the answer before sounded and was cut is known once its turn is stored; the caller's silence belongs to the next. */
const isOfAnswer = ({ category }: TraceEntry): boolean => category === "tts" || category === "note";

/** The agent's transfer request; null when the platform itself transfers the call. */
export type Transfer = Extract<SessionAction, { action: "transfer" }>;

/**
 * Runs a call: feeds events to its machine and performs the effects. Words go to the line at once; turns and writes run one
 * after the other, in the order in which they were requested.
 */
export class VoiceCall {
  readonly #engine: Engine;
  /** Of what the call waits for. */
  readonly #clock: Clock;
  readonly #session_id: number;
  #settings: CallSettings;
  readonly #dictionary: () => Promise<CallSettings["pronunciations"]>;
  readonly #line: CallLine;
  readonly #reports: CallReports;
  #state: CallState;
  #work: Promise<void> = Promise.resolve();
  /** Events wait here while one is processed, because its effects may cause the next. */
  #events: CallEvent[] = [];
  #isTaking = false;
  #control: { turn: number; control: TurnControl } | null = null;
  #transfer: Transfer | null = null;
  /** Trace entries of the line between turns; stored with the next turn or the end of the call. */
  #seen: TraceEntry[] = [];
  readonly #early: EarlyAnswer;
  /** How much the last turn that ended has stored (`measure`). */
  #stored = { turn: 0, length: 0 };
  #wake: { at: number; cancel: () => void } | null = null;

  constructor(parts: {
    engine: Engine;
    session_id: number;
    language: string;
    settings: CallSettings;
    /** How words are pronounced as of now. */
    dictionary: () => Promise<CallSettings["pronunciations"]>;
    line: CallLine;
    reports: CallReports;
  }) {
    this.#engine = parts.engine;
    this.#clock = steadyClock(parts.engine.clock);
    this.#session_id = parts.session_id;
    this.#settings = parts.settings;
    this.#dictionary = parts.dictionary;
    this.#line = parts.line;
    this.#reports = parts.reports;
    this.#state = newCall(parts.language);
    this.#early = new EarlyAnswer(parts.engine, parts.session_id, {
      prepare: (text) => this.#line.prepare?.(spokenForm(text, this.#settings, this.#state.language).text),
      observe: (entry) => this.observe(entry),
    });
  }

  input(event: CallInput): void {
    if (event.type === "fault" || event.type === "deaf") {
      const { session_id, message } = { session_id: this.#session_id, message: event.message };
      this.#engine.log.warn({ session_id, message }, "the line of a call told of a fault");
    }
    this.tell(event);
  }

  /** Adds to the trace, which is stored with the running turn, else with the next write. */
  observe(...entries: TraceEntry[]): void {
    if (this.#control) this.#control.control.see(...entries);
    else this.#seen.push(...entries);
  }

  tell(event: CallEvent) {
    this.#events.push(event);
    if (this.#isTaking) return;
    this.#isTaking = true;
    for (let next = this.#events.shift(); next; next = this.#events.shift()) {
      const now = this.#clock.now().getTime();
      const { state, effects } = step(this.#settings, this.#state, next, now);
      this.#state = state;
      for (const effect of effects) this.#doSafely(effect);
    }
    this.#isTaking = false;
    this.#setAlarm();
  }

  /** At once, in the middle of a word. */
  hangUp(): void {
    this.tell({ type: "hang_up", ...this.#silenced() });
  }

  /** The line is gone, as somebody else tells. */
  close(more: { lost?: boolean } = {}): void {
    this.tell({ type: "closed", ...more, ...this.#silenced() });
  }

  #silenced(): { heard?: string } {
    const heard = this.#line.silence?.();
    return heard === undefined ? {} : { heard };
  }

  /** Resolves once everything requested so far is stored. */
  get settled(): Promise<void> {
    return this.#work;
  }

  #setAlarm(): void {
    const at = nextWake(this.#state);
    if (at === (this.#wake?.at ?? null)) return;
    this.#wake?.cancel();
    this.#wake = null;
    if (at === null) return;
    const cancel = this.#clock.wakeAt(new Date(at), () => {
      this.#wake = null;
      this.tell({ type: "tick" });
    });
    this.#wake = { at, cancel };
  }

  /** Catches errors of the line, so that they prevent neither this call's other effects nor other calls. */
  #doSafely(effect: CallEffect): void {
    try {
      this.#do(effect);
    } catch (error) {
      const { session_id, type } = { session_id: this.#session_id, type: effect.type };
      this.#engine.log.error({ err: error, session_id, type }, "the line of a call failed");
    }
  }

  #do(effect: CallEffect) {
    switch (effect.type) {
      case "send":
        return this.#line.send(effect.output);
      case "interrupt":
        if (this.#control?.turn === effect.turn) this.#control.control.interrupt();
        return;
      case "speculate":
        return this.#early.begin(effect.text);
      case "forget":
        return this.#early.forget("the person went on");
      case "aside":
        return this.#control?.control.aside(effect.text, this.#engine.clock.now());
      case "run": {
        const control = new TurnControl();
        control.see(
          ...this.#takeSeen().map((entry) => (isOfAnswer(entry) ? { ...entry, late: true } : entry)),
        );
        this.#control = { turn: effect.turn, control };
        const speculation = this.#early.take();
        return this.#then(() => this.#run(effect, control, speculation));
      }
      case "end": {
        const hangUp = effect.hangs_up ? this.#hangUpSoon() : null;
        return this.#then(() => this.#store(effect).finally(hangUp));
      }
      default:
        return this.#then(() => this.#store(effect));
    }
  }

  /** It may be another since the turn before. */
  async #readDictionary(): Promise<void> {
    try {
      this.#settings = { ...this.#settings, pronunciations: await this.#dictionary() };
    } catch (error) {
      this.#engine.log.warn({ err: error, session_id: this.#session_id }, "pronunciations could not be read");
    }
  }

  /**
   * The end is stored before the line is closed: a carrier that asks what follows then never takes the call for one whose
   * process died. Where storing takes too long, nobody waits for it.
   */
  #hangUpSoon(): () => void {
    const at = new Date(this.#clock.now().getTime() + HANG_UP_MS);
    let isDone = false;
    const hangUp = () => {
      if (isDone) return;
      isDone = true;
      cancel();
      this.#doSafely({ type: "send", output: { type: "end", next: { action: "hangup" } } });
    };
    const cancel = this.#clock.wakeAt(at, hangUp);
    return hangUp;
  }

  /** An internal error is logged and does not stop the steps after it. */
  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error) => {
      this.#engine.log.error({ err: error, session_id: this.#session_id }, "a step of a call failed");
    });
  }

  async #run(
    effect: Extract<CallEffect, { type: "run" }>,
    control: TurnControl,
    speculation: SpeculativeTurn | null,
  ): Promise<void> {
    const { turn, text, answerer } = effect;
    try {
      await this.#readDictionary();
      const isSame = speculation !== null && speculation.text === text;
      if (speculation && !isSame) await this.#early.drop(speculation, "other words were heard");
      const input = { text, answerer, control, speculation: isSame ? speculation : null };
      const result = await runTurn(this.#engine, this.#session_id, input, (event) =>
        this.tell({ type: "turn", turn, event }),
      );
      if (result.action?.action === "transfer") this.#transfer = result.action;
      this.#line.awaits?.(result.awaits);
      const { messages, action, failed } = result;
      this.#stored = { turn, length: messages.reduce((sum, each) => sum + measure(each), 0) };
      this.tell({ type: "turn_over", turn, result: { messages, action, failed, answerer: result.answerer } });
    } catch (error) {
      this.#engine.log.error({ err: error, session_id: this.#session_id }, "a turn of a call failed");
      this.tell({ type: "turn_over", turn, result: null });
    } finally {
      if (speculation) await this.#early.drop(speculation, "the turn asked otherwise");
    }
  }

  async #store(
    effect: Exclude<CallEffect, { type: "send" | "interrupt" | "aside" | "run" | "speculate" | "forget" }>,
  ): Promise<void> {
    const engine = this.#engine;
    const session_id = this.#session_id;
    switch (effect.type) {
      case "greet":
        return this.#greet();
      case "cut":
        return cutSpokenWords(engine, session_id, effect.unheard);
      case "cut_turn": {
        const stored = this.#stored.turn === effect.turn ? this.#stored.length : 0;
        const unheard = Math.max(0, stored - effect.heard) + effect.unheard_before;
        return unheard === 0 ? undefined : cutSpokenWords(engine, session_id, unheard);
      }
      case "note":
        return betweenTurns(engine, session_id, (draft) => {
          if (effect.aside) draft.aside(effect.role, effect.text);
          else draft.say(effect.text);
        });
      case "silence":
        return betweenTurns(engine, session_id, (draft) =>
          draft.event({
            category: "conversation",
            type: "silence-timeout",
            description: "The person said nothing",
            attributes: { count: effect.count },
          }),
        );
      case "voicemail_left":
        return betweenTurns(engine, session_id, (draft) =>
          draft.event(
            {
              category: "automation",
              type: "voicemail-left",
              description: "A message was left on a voicemail",
            },
            null,
          ),
        );
      case "answerer":
        return this.#reports.answerer(effect.found);
      case "transferring":
        try {
          return await this.#reports.transferring(effect.dial, effect.by_agent ? this.#transfer : null);
        } finally {
          this.#line.send({ type: "end", next: { action: "dial", ...effect.dial } });
        }
      case "end":
        this.#early.forget("the call ended");
        await this.#storeSeen().catch((error) =>
          engine.log.warn({ err: error, session_id }, "the trace of a call's end could not be stored"),
        );
        return this.#reports.ended(effect.reason);
      case "lost":
        this.#early.forget("the line broke");
        this.#line.close();
        await this.#storeSeen().catch((error) =>
          engine.log.warn({ err: error, session_id }, "the trace of a broken line could not be stored"),
        );
        return this.#reports.lost();
      default:
        return effect satisfies never;
    }
  }

  /** Includes trace entries that came too late for the last turn. */
  #takeSeen(): TraceEntry[] {
    return [...(this.#control?.control.takeSeen() ?? []), ...this.#seen.splice(0)];
  }

  async #storeSeen(): Promise<void> {
    const entries = this.#takeSeen();
    if (entries.length === 0) return;
    await betweenTurns(this.#engine, this.#session_id, (draft) => draft.trace(...entries));
  }

  async #greet(): Promise<void> {
    try {
      const opened = await openWorkflows(this.#engine, this.#session_id, null);
      const { parts, wants_turn, action, awaits } = opened;
      this.#line.awaits?.(awaits);
      if (action?.action === "transfer") this.#transfer = action;
      this.tell({ type: "greeting", parts, wants_turn, action });
    } catch (error) {
      // The opening failed: the call stays open, and the agent answers when the person speaks.
      this.tell({ type: "greeting", parts: [], wants_turn: false, action: null });
      throw error;
    }
  }
}
