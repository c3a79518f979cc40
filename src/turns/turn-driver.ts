import type { TraceEntry } from "../events/trace.ts";
import type { ToolCall } from "../llm/model.ts";
import type { Engine, HeldSession } from "../sessions/engine.ts";
import type { LeasedSession } from "../sessions/leased-session.ts";
import type { ClientAnswer } from "../sessions/live/client-calls.ts";
import { sessionFacts } from "../sessions/session-facts.ts";
import { redactedState } from "../sessions/session-redactor.ts";
import type { SessionState } from "../sessions/variables.ts";
import type { ToolContext } from "../tool-calls/tool-outcome.ts";
import { type AwaitedInput, awaitedInput, FREE } from "../workflows/awaited-input.ts";
import { sessionTasks } from "../workflows/workflow-state.ts";
import type { HistoryEntry } from "./build-prompt.ts";
import { callRow, type FinishedCall, resultEvent } from "./draft/finished-call.ts";
import type { StateBefore } from "./draft/sent-rows.ts";
import { TurnDraft } from "./draft/turn-draft.ts";
import { holdWords } from "./draft/turn-rows.ts";
import {
  beginTurn,
  type TurnFacts,
  type TurnSession,
  type TurnState,
  turnResult,
} from "./draft/turn-state.ts";
import { surroundingsOf, toolContextOf } from "./draft/turn-surroundings.ts";
import { greetingText, greetingTrace } from "./greeting.ts";
import type { TextSink } from "./rounds/model-round.ts";
import { OutputCheck } from "./safety/output-check.ts";
import type { TurnEvent, TurnInput, TurnResult } from "./turn-event.ts";
import { type StoredSoFar, storeTurn } from "./turn-store.ts";
import { TurnTiming } from "./turn-timing.ts";

type TurnChannel = {
  emit?: (event: TurnEvent) => void;
  /** Aborted when the lease is lost, or the program stops. */
  signal?: AbortSignal;
  timing?: TurnTiming;
  /** The turn of a message that is sent again; default: the session's latest. */
  turn_index?: number;
};

type PassedWords = TextSink & { end(): unknown };

/** Runs the steps of a turn (`draft/turn-draft.ts`): keeps its state, notifies the channel, stores, releases the lease. */
export class TurnDriver {
  readonly engine: Engine;
  readonly session: TurnSession;
  readonly input: TurnInput;
  readonly signal: AbortSignal;
  readonly timing: TurnTiming;
  readonly emit: (event: TurnEvent) => void;
  /** The session's language until it is changed. */
  readonly start_language: string;
  /** Some turns are answered without a model. */
  asked_model = false;
  readonly #facts: TurnFacts;
  readonly #held: HeldSession;
  #state: TurnState;
  /** The state before the turn, until it is stored with the first rows of the turn. */
  #begun: StateBefore | null;
  /** What models were sent that is stored, by this turn and those before it, and this turn's messages that are. */
  #stored: StoredSoFar;
  /** Null where the organization has no rules for what is said. */
  readonly #output: OutputCheck | null;
  /** Messages and calls before the turn. */
  #earlier: readonly HistoryEntry[] = [];

  constructor(engine: Engine, leased: LeasedSession, input: TurnInput, channel: TurnChannel = {}) {
    // Everything that the turn changes is kept in its state only.
    const { state: memory, next_seq, sent, ...session } = leased;
    this.#stored = { sent, messages: [] };
    const begins = input.text !== null && !input.debug;
    this.#begun = begins ? { state: redactedState(leased.redactor, memory), at: engine.clock.now() } : null;
    this.engine = engine;
    this.#held = leased;
    this.session = session;
    this.input = input;
    this.emit = channel.emit ?? (() => {});
    this.signal = channel.signal ?? new AbortController().signal;
    this.timing = channel.timing ?? new TurnTiming(engine.clock.now());
    this.start_language =
      session.snapshot.language_group?.language_configs[0]?.language_code ?? memory.language;
    const { turn_index = session.turn_count } = channel;
    const { override_timestamp = null, client_message_id: message_id = null } = input;
    this.#facts = { session, turn_index, override_timestamp, message_id };
    this.#state = beginTurn({ state: memory, next_seq });
    this.#output = OutputCheck.of(session.snapshot, () => this.#knownTexts());
  }

  get turn_index(): number {
    return this.#facts.turn_index;
  }

  /** Whose numbers and addresses may be said: the author's, the person's own, and those that they said. */
  #knownTexts(): string[] {
    const { snapshot, source, target } = this.session;
    const { safety: _, ...written } = snapshot;
    const said = this.history.flatMap((entry) =>
      entry.kind === "message" && entry.role === "user" ? [entry.text] : [],
    );
    const { contacts = [] } = this.memory.safety ?? {};
    return [JSON.stringify(written), source ?? "", target ?? "", this.input.text ?? "", ...contacts, ...said];
  }

  /** Passes the model's text on to `pass`, without what the organization's output rules withhold. */
  wordsTo(pass: (text: string) => void): PassedWords {
    return this.#output?.stream(pass) ?? { feed: pass, pause() {}, end() {} };
  }

  readonly #checkWords = (text: string) => this.#output?.check(text) ?? { text, withheld: null };

  get state(): TurnState {
    return this.#state;
  }

  /** The session's memory as of now. */
  get memory(): Readonly<SessionState> {
    return this.#state.memory;
  }

  get history(): HistoryEntry[] {
    return [...this.#earlier, ...this.#state.history];
  }

  read(earlier: readonly HistoryEntry[]): void {
    this.#earlier = earlier;
  }

  /** Takes a step, and passes its events to the channel. */
  change<T>(step: (draft: TurnDraft) => T): T {
    return this.#step((draft) => {
      draft.takeAsides(this.input.control?.takeAsides() ?? []);
      draft.trace(...(this.input.control?.takeSeen() ?? []));
      return step(draft);
    });
  }

  #step<T>(step: (draft: TurnDraft) => T): T {
    const draft = new TurnDraft(this.#facts, this.#state, this.engine.clock.now(), this.#checkWords);
    const result = step(draft);
    this.#state = draft.state;
    for (const event of draft.told) this.emit(event);
    return result;
  }

  note(label: string): void {
    this.change((draft) => draft.note(label));
  }

  trace(...entries: TraceEntry[]): void {
    this.change((draft) => draft.trace(...entries));
  }

  announceCall({ id, name, arguments: given }: ToolCall): void {
    this.#held.running_tool = name;
    this.emit({ type: "tool_call", tool_call_id: id, tool_name: name, arguments: given });
  }

  /** Passes a call's result to the channel at once; `finishCall` adds it to the turn. */
  announceResult(finished: Omit<FinishedCall, "seq">): void {
    this.#held.running_tool = null;
    this.emit(resultEvent(callRow(finished, this.#facts.turn_index)));
  }

  /** The system variables and the agent's wall clock, as of now. */
  surroundings() {
    return surroundingsOf(this.#facts, this.memory, this.engine.clock.now());
  }

  /** As of `at`. */
  context(now = this.engine.clock.now()): ToolContext {
    const greeting = (at: Date) => {
      const { snapshot } = this.session;
      this.trace(...greetingTrace(snapshot, at));
      return greetingText(snapshot, this.memory, sessionFacts(this.session), at);
    };
    const { signal } = this;
    const context = toolContextOf(this.#facts, this.memory, now, { signal, greeting });
    return this.input.has_page ? { ...context, page: (call) => this.#askPage(call) } : context;
  }

  /** An interruption of the answer ends the wait for the visitor's page too. */
  #askPage(call: Parameters<NonNullable<ToolContext["page"]>>[0]): Promise<ClientAnswer | null> {
    const interrupted = this.input.control?.interrupted;
    const signal = interrupted ? AbortSignal.any([this.signal, interrupted]) : this.signal;
    return this.engine.clientCalls.ask({ session_id: this.session.id, ...call }, signal, (told) =>
      this.emit({ type: "client_call", call: told }),
    );
  }

  /**
   * Stores everything not stored yet, in one transaction; `over` releases the lease. A debugged turn is stored at its end
   * only.
   */
  async store(how: { over: boolean; ended?: boolean }): Promise<void> {
    if (this.input.debug && !how.over) return;
    return this.timing.of("store", () => this.#store(how));
  }

  /** Stores the words since the last time, which sends them; everything else of the turn is stored with them. */
  async sendWords(): Promise<void> {
    if (holdWords(this.#state.unstored)) await this.store({ over: false });
  }

  async #store({ over, ended = false }: { over: boolean; ended?: boolean }): Promise<void> {
    this.change((draft) => draft.noteAsides());
    const { unstored, memory, next_seq } = this.#state;
    this.#stored = await storeTurn(
      this.engine,
      this.session,
      this.#facts.turn_index,
      {
        state: memory,
        next_seq,
        at: this.engine.clock.now(),
        over,
        ...(ended && { ended: { reason: "agent", user_terminated: false } }),
      },
      unstored,
      { ...this.#stored, begun: this.#begun },
    );
    this.#begun = null;
    // What the channel saw meanwhile is the next step's to take, or the channel's where there is none.
    this.#step((draft) => draft.stored(unstored));
  }

  /** Used only by audio lines of our own. */
  #awaits(): AwaitedInput {
    const { channel, snapshot } = this.session;
    return channel === "voice" ? awaitedInput(sessionTasks(snapshot.tools), this.memory.workflows) : FREE;
  }

  /** Stores the rest, releases the lease, and ends the session if a tool asked for it. */
  async finish(): Promise<TurnResult> {
    const ended = this.change((draft) => draft.finish(this.timing.row()));
    await this.store({ over: true, ended });
    if (ended) this.emit({ type: "session_end", reason: "agent" });
    return turnResult(this.#facts.turn_index, this.#state, ended, this.#awaits());
  }
}
