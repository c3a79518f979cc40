import type { SnapshotTool } from "../agents/snapshot.ts";
import { storableText } from "../base/storable.ts";
import { suppress } from "../consent/suppression.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { insertTrace, type TraceEntry, traced } from "../events/trace.ts";
import { renderTemplate } from "../expressions/template.ts";
import type { ToolCall } from "../llm/model.ts";
import type { Engine } from "../sessions/engine.ts";
import { type LeasedSession, releaseLease } from "../sessions/lease.ts";
import { agentTime, sessionFacts } from "../sessions/session-facts.ts";
import { voiceInForce } from "../sessions/session-voice.ts";
import { localTime, sessionLookup, systemVariables } from "../sessions/variables.ts";
import { optOutEntries, type SaidOptOut, withWords } from "../tool-calls/opt-out-tool.ts";
import {
  endsSession,
  type SessionAction,
  type ToolContext,
  type ToolEffects,
} from "../tool-calls/tool-outcome.ts";
import type { HistoryEntry } from "./build-prompt.ts";
import { callRow, callTrace, type FinishedCall, resultEvent, storedCall } from "./finished-call.ts";
import { greetingText, greetingTrace } from "./greeting.ts";
import type { TurnEvent, TurnInput, TurnResult } from "./turn-event.ts";
import {
  insertCalls,
  insertMessages,
  loadTurn,
  type NewMessage,
  type StoredCall,
  updateSession,
} from "./turn-store.ts";
import { TurnTiming } from "./turn-timing.ts";

/** One turn under way: what was said and done so far, not all of it stored yet. */
export class TurnRecord {
  index: number;
  history: HistoryEntry[] = [];
  readonly engine: Engine;
  readonly session: LeasedSession;
  readonly input: TurnInput;
  readonly emit: (event: TurnEvent) => void;
  readonly signal: AbortSignal;
  readonly timing: TurnTiming;
  /** The language the session speaks unless somebody changes it. */
  readonly startLanguage: string;
  readonly messages: string[] = [];
  readonly calls: StoredCall[] = [];
  action: SessionAction | null = null;
  /** The model gave no answer. */
  failed = false;
  /** How many messages of the turn stood when the model's last calls began. */
  heardBefore = 0;
  /** A workflow spoke in the user's name, which wants an answer. */
  wasSpokenTo = false;
  #unstored = nothing();

  constructor(
    engine: Engine,
    session: LeasedSession,
    input: TurnInput,
    emit: (event: TurnEvent) => void,
    signal: AbortSignal,
    timing = new TurnTiming(engine.clock.now()),
  ) {
    this.engine = engine;
    this.session = session;
    this.input = input;
    this.emit = emit;
    this.signal = signal;
    this.timing = timing;
    this.index = session.turn_count;
    this.startLanguage =
      session.snapshot.language_group?.language_configs[0]?.language_code ?? session.state.language;
  }

  nextSeq(): number {
    return this.session.next_seq++;
  }

  /** The agent's words, the model's or a workflow's. */
  say(text: string): void {
    const said = storableText(text).trim();
    if (said === "") return;
    this.#noteAsides();
    this.#message("agent", said);
    this.messages.push(said);
  }

  /** Words of the program's own, in place of an answer: said like the agent's, and never read back by the model as its own. */
  apologize(text: string): void {
    this.#noteAsides();
    this.#message("agent", text, { is_apology: true });
    this.messages.push(text);
  }

  /** Words that a workflow puts into the user's mouth. */
  hear(text: string): void {
    this.#message("user", storableText(text).trim());
    this.wasSpokenTo = true;
  }

  /** What was said or heard that the model is not to read back. */
  aside(role: "agent" | "user", text: string, at = this.engine.clock.now()): void {
    const said = storableText(text).trim();
    if (said !== "") this.#message(role, said, { aside: true, at });
  }

  #noteAsides(): void {
    for (const { text, at } of this.input.control?.takeAsides() ?? []) this.aside("agent", text, at);
  }

  #message(
    role: "agent" | "user",
    text: string,
    {
      aside = false,
      is_apology = false,
      at = this.engine.clock.now(),
    }: { aside?: boolean; is_apology?: boolean; at?: Date } = {},
  ): void {
    const message = { seq: this.nextSeq(), turn_index: this.index, role, text, at, aside, is_apology };
    this.#unstored.messages.push(message);
    this.history.push({ kind: "message", seq: message.seq, role, text, aside: aside || is_apology });
  }

  trace(...entries: TraceEntry[]): void {
    this.#unstored.trace.push(...entries);
  }

  note(label: string): void {
    this.trace({ category: "note", label });
  }

  announceCall({ id, name, arguments: given }: ToolCall): void {
    this.emit({ type: "tool_call", tool_call_id: id, tool_name: name, arguments: given });
  }

  /** Tells the channel of a call's result at once; `finishCall` puts it into the turn. */
  announceResult(finished: Omit<FinishedCall, "seq">): void {
    this.emit(resultEvent(callRow(finished, this.index)));
  }

  finishCall(finished: FinishedCall): void {
    const { call, tool, outcome } = finished;
    const stored = storedCall(finished, this.index);
    this.#unstored.calls.push(stored);
    this.trace(...callTrace(finished));
    this.history.push(historyCall(stored));
    if (outcome.error !== null) {
      this.event("automation", "tool-error", `${call.name}: ${outcome.error}`, tool?.id ?? null);
    }
  }

  /** What a call changes in the session. */
  apply(effects: ToolEffects, tool: SnapshotTool | undefined): void {
    const { state } = this.session;
    this.#traceChanges(effects, tool);
    // A new object: a workflow that waits for this call may hold the old one.
    state.variables = { ...state.variables, ...effects.variables };
    if (effects.language && effects.language !== state.language) {
      state.language = effects.language;
      this.emit({ type: "language", language: effects.language });
    }
    if (effects.answerer) state.answerer = effects.answerer;
    if (effects.say) this.say(renderTemplate(effects.say, this.context().lookup));
    if (effects.speech) this.say(effects.speech);
    if (effects.keys) this.emit({ type: "keys", digits: effects.keys });
    if (effects.event) {
      const { category, type, description, attributes } = effects.event;
      this.event(category, type, description, tool?.id ?? null, attributes);
    }
    if (effects.opt_out) this.#unstored.opt_outs.push({ ...effects.opt_out, at: this.engine.clock.now() });
    this.action ??= effects.action ?? null;
  }

  #traceChanges({ variables = {}, language }: ToolEffects, tool: SnapshotTool | undefined): void {
    const { state } = this.session;
    const before: Record<string, unknown> = { ...state.variables, "vars.session.language": state.language };
    const after = { ...variables, ...(language && { "vars.session.language": language }) };
    const changes = Object.entries(after).map(([name, value]) => [
      name,
      { before: traced(before[name]), after: traced(value) },
    ]);
    if (changes.length === 0) return;
    const details = { tool: tool?.name ?? null, changes: Object.fromEntries(changes) };
    this.trace({ category: "state", label: "variables", details });
  }

  event(
    category: string,
    type: string,
    description: string,
    tool_id?: number | null,
    attributes?: Record<string, unknown>,
  ): void {
    const { id, conversation_id, source, prompt_id } = this.session;
    this.#unstored.events.push({
      at: this.engine.clock.now(),
      source: tool_id === undefined ? "llm-prompt" : "tool-call",
      source_id: tool_id === undefined ? prompt_id : tool_id,
      category,
      type,
      description,
      session_id: id,
      conversation_id,
      user_id: source,
      ...(attributes && { attributes }),
    });
  }

  /** The program's own variables, and the agent's wall clock, as they are now. */
  surroundings() {
    const { snapshot, state, channel } = this.session;
    const at = agentTime(this.engine.clock.now(), this.input.override_timestamp, snapshot.agent.timezone);
    const now = localTime(at, snapshot.agent.timezone);
    const voice = voiceInForce(channel, snapshot, state.language);
    return { at, now, system: systemVariables(sessionFacts(this.session), state.language, now, voice) };
  }

  context(): ToolContext {
    const { sub_organization_id, snapshot, state, channel, source, verified } = this.session;
    const { at, now, system } = this.surroundings();
    const lookup = sessionLookup(state, system);
    const { language } = state;
    const call = channel === "voice" ? { call: this.#callContext(at) } : {};
    const { signal } = this;
    return {
      sub_organization_id,
      snapshot,
      lookup,
      language,
      channel,
      source,
      verified,
      at,
      now,
      signal,
      ...call,
    };
  }

  #callContext(at: Date) {
    const { snapshot, state, is_outbound } = this.session;
    const greeting = () => {
      this.trace(...greetingTrace(snapshot, at));
      return greetingText(snapshot, state, sessionFacts(this.session), at);
    };
    return { is_outbound, answerer: state.answerer ?? null, greeting };
  }

  /** Stores what was not yet, all of it or nothing; `over` gives the lease back. */
  store(how: { over: boolean; ended?: boolean }): Promise<void> {
    return this.timing.of("store", () => this.#store(how));
  }

  /** Stores what was said since the last time, which sends it; the rest of the turn comes with it. */
  async sendWords(): Promise<void> {
    const isWaiting = this.#unstored.messages.some(({ role, aside }) => role === "agent" && !aside);
    if (isWaiting) await this.store({ over: false });
  }

  async #store({ over, ended = false }: { over: boolean; ended?: boolean }): Promise<void> {
    const { engine, session } = this;
    this.#noteAsides();
    const { messages, calls, trace, events, opt_outs } = this.#unstored;
    const at = engine.clock.now();
    await engine.db.transaction().execute(async (tx) => {
      const change = { state: session.state, at, over };
      await updateSession(
        engine,
        tx,
        session,
        ended ? { ...change, ended: { reason: "agent", user_terminated: false } } : change,
      );
      await insertMessages(tx, session, messages);
      await insertCalls(tx, session.id, calls);
      await insertTrace(tx, session.id, this.index, trace, at);
      await suppress(tx, optOutEntries(session, await withWords(tx, session.id, opt_outs)), at);
      await publish(tx, session.sub_organization_id, events);
    });
    this.calls.push(...calls.toSorted((a, b) => a.seq - b.seq));
    this.#unstored = nothing();
    // Told as said only now that it can't be lost any more; until then the visitor saw it as it was written.
    for (const { role, text, aside } of messages) {
      if (role === "agent" && !aside) this.emit({ type: "message", text });
    }
  }

  /**
   * Stores the rest, gives the lease back, and ends the session if a tool asked for it; but a call goes on until the last
   * words were spoken, and who speaks them ends it.
   */
  async finish(): Promise<TurnResult> {
    const ended = this.action !== null && endsSession(this.action) && this.session.channel !== "voice";
    if (ended) this.event("conversation", "session-end", "The agent ended the session");
    this.trace(this.timing.row());
    await this.store({ over: true, ended });
    if (ended) this.emit({ type: "session_end", reason: "agent" });
    return this.#result(ended);
  }

  /** The answer to a message that was answered before: its words, and what its calls gave to be shown. */
  async repeat(): Promise<TurnResult> {
    const answer = await loadTurn(this.engine, this.session.id, this.index);
    await releaseLease(this.engine, this.session);
    for (const part of answer) {
      if ("text" in part) {
        this.messages.push(part.text);
        this.emit({ type: "message", text: part.text });
      } else {
        this.calls.push(part);
        this.emit(resultEvent(part));
      }
    }
    return this.#result(false);
  }

  #result(ended: boolean): TurnResult {
    const { index: turn_index, messages, calls, action, failed } = this;
    const { language, variables, answerer = null } = this.session.state;
    return { turn_index, messages, calls, action, language, variables, ended, failed, answerer };
  }
}

const nothing = () => ({
  messages: [] as NewMessage[],
  calls: [] as StoredCall[],
  trace: [] as TraceEntry[],
  events: [] as NewEvent[],
  opt_outs: [] as SaidOptOut[],
});

const historyCall = (call: StoredCall): HistoryEntry => ({
  kind: "call",
  seq: call.seq,
  turn_index: call.turn_index,
  round: call.round,
  call_id: call.tool_call_id,
  tool_name: call.tool_name,
  arguments: call.arguments,
  result: call.result,
  is_error: call.error !== null,
  provider_data: call.provider_data,
});
