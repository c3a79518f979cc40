import { storableText } from "../base/storable.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { renderTemplate } from "../expressions/template.ts";
import type { ToolCall } from "../llm/model.ts";
import type { HistoryEntry } from "./build-prompt.ts";
import { displayResult } from "./display-result.ts";
import type { Engine } from "./engine.ts";
import { type LeasedSession, releaseLease } from "./lease.ts";
import { agentTime, sessionFacts } from "./session-facts.ts";
import type { SnapshotTool } from "./snapshot.ts";
import type { SessionAction, ToolContext, ToolEffects } from "./tool-outcome.ts";
import { insertTrace, type TraceEntry } from "./trace.ts";
import type { TurnEvent, TurnInput, TurnResult } from "./turn-event.ts";
import {
  insertCalls,
  insertMessages,
  loadAnswer,
  type NewMessage,
  type StoredCall,
  updateSession,
} from "./turn-store.ts";
import { localTime, sessionLookup, systemVariables } from "./variables.ts";

/** A call that was answered, by whomever; what is stored of it. */
export type FinishedCall = {
  seq: number;
  round: number;
  call: ToolCall;
  tool: SnapshotTool | undefined;
  outcome: { request: unknown; result: unknown; error: string | null; trace: TraceEntry[] };
  started: Date;
  duration_ms: number;
};

/** One turn under way: what was said and done so far, not all of it stored yet. */
export class TurnRecord {
  index: number;
  history: HistoryEntry[] = [];
  readonly engine: Engine;
  readonly session: LeasedSession;
  readonly input: TurnInput;
  readonly emit: (event: TurnEvent) => void;
  readonly signal: AbortSignal;
  /** The language the session speaks unless somebody changes it. */
  readonly startLanguage: string;
  readonly messages: string[] = [];
  readonly calls: StoredCall[] = [];
  action: SessionAction | null = null;
  /** A workflow spoke in the user's name, which wants an answer. */
  wasSpokenTo = false;
  #unstored = nothing();

  constructor(
    engine: Engine,
    session: LeasedSession,
    input: TurnInput,
    emit: (event: TurnEvent) => void,
    signal: AbortSignal,
  ) {
    this.engine = engine;
    this.session = session;
    this.input = input;
    this.emit = emit;
    this.signal = signal;
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
    this.#message("agent", said);
    this.messages.push(said);
  }

  /** Words that a workflow puts into the user's mouth. */
  hear(text: string): void {
    this.#message("user", storableText(text).trim());
    this.wasSpokenTo = true;
  }

  #message(role: "agent" | "user", text: string): void {
    const message = {
      seq: this.nextSeq(),
      turn_index: this.index,
      role,
      text,
      at: this.engine.clock.now(),
    };
    this.#unstored.messages.push(message);
    this.history.push({ kind: "message", seq: message.seq, role, text, aside: false });
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
  announceResult({ call, tool, outcome, duration_ms }: Omit<FinishedCall, "seq">): void {
    this.emit({
      type: "tool_result",
      tool_call_id: call.id,
      tool_name: call.name,
      error: outcome.error,
      duration_ms,
      display_result: displayResult(tool?.definition, outcome.result, outcome.error !== null),
      propagated: handsResultOn(tool) ? { arguments: call.arguments, result: outcome.result } : null,
    });
  }

  finishCall({ seq, round, call, tool, outcome, started, duration_ms }: FinishedCall): void {
    const stored: StoredCall = {
      seq,
      turn_index: this.index,
      round,
      tool_call_id: call.id,
      tool_id: tool?.id ?? null,
      tool_name: call.name,
      tool_version_number: tool?.version_number ?? null,
      arguments: call.arguments,
      request: outcome.request,
      result: outcome.result,
      error: outcome.error,
      propagate_result: handsResultOn(tool),
      display_result: displayResult(tool?.definition, outcome.result, outcome.error !== null),
      provider_data: call.provider_data ?? null,
      timestamp: started,
      duration_ms,
    };
    this.#unstored.calls.push(stored);
    this.trace(...outcome.trace, {
      category: "tool",
      label: call.name,
      started,
      duration_ms,
      details: { tool_call_id: call.id, ...(outcome.error !== null && { error: outcome.error }) },
    });
    this.history.push(historyCall(stored));
    if (outcome.error !== null) {
      this.event("automation", "tool-error", `${call.name}: ${outcome.error}`, tool?.id ?? null);
    }
  }

  /** What a call changes in the session. */
  apply(effects: ToolEffects, tool: SnapshotTool | undefined): void {
    const { state } = this.session;
    // A new object: a workflow that waits for this call may hold the old one.
    state.variables = { ...state.variables, ...effects.variables };
    if (effects.language) state.language = effects.language;
    if (effects.say) this.say(renderTemplate(effects.say, this.context().lookup));
    if (effects.event) {
      const { category, type, description, attributes } = effects.event;
      this.event(category, type, description, tool?.id ?? null, attributes);
    }
    this.action ??= effects.action ?? null;
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
    const { snapshot, state } = this.session;
    const at = agentTime(this.engine.clock.now(), this.input.override_timestamp, snapshot.agent.timezone);
    const now = localTime(at, snapshot.agent.timezone);
    return { at, now, system: systemVariables(sessionFacts(this.session), state.language, now) };
  }

  context(): ToolContext {
    const { snapshot, state, channel } = this.session;
    const { now, system } = this.surroundings();
    const lookup = sessionLookup(state, system);
    return { snapshot, lookup, language: state.language, channel, now, signal: this.signal };
  }

  /** Stores what was not yet, all of it or nothing; `over` gives the lease back. */
  async store({ over, ended = false }: { over: boolean; ended?: boolean }): Promise<void> {
    const { engine, session } = this;
    const { messages, calls, trace, events } = this.#unstored;
    const at = engine.clock.now();
    await engine.db.transaction().execute(async (tx) => {
      const change = { state: session.state, at, over };
      await updateSession(
        tx,
        session,
        ended ? { ...change, ended: { reason: "agent", user_terminated: false } } : change,
      );
      await insertMessages(tx, session, messages);
      await insertCalls(tx, session.id, calls);
      await insertTrace(tx, session.id, this.index, trace, at);
      await publish(tx, session.sub_organization_id, events);
    });
    this.calls.push(...calls.toSorted((a, b) => a.seq - b.seq));
    this.#unstored = nothing();
    // Told as said only now that it can't be lost any more; until then the visitor saw it as it was written.
    for (const { role, text } of messages) if (role === "agent") this.emit({ type: "message", text });
  }

  /** Stores the rest, gives the lease back, and ends the session if a tool asked for it. */
  async finish(): Promise<TurnResult> {
    const ended = this.action !== null;
    if (ended) this.event("conversation", "session-end", "The agent ended the session");
    await this.store({ over: true, ended });
    if (ended) this.emit({ type: "session_end", reason: "agent" });
    return this.#result(ended);
  }

  /** The answer to a message that was answered before. */
  async repeat(): Promise<TurnResult> {
    this.messages.push(...(await loadAnswer(this.engine, this.session.id, this.index)));
    await releaseLease(this.engine, this.session);
    for (const text of this.messages) this.emit({ type: "message", text });
    return this.#result(false);
  }

  #result(ended: boolean): TurnResult {
    const { index: turn_index, messages, calls, action } = this;
    const { language, variables } = this.session.state;
    return { turn_index, messages, calls, action, language, variables, ended };
  }
}

const nothing = () => ({
  messages: [] as NewMessage[],
  calls: [] as StoredCall[],
  trace: [] as TraceEntry[],
  events: [] as NewEvent[],
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

/** The tool's owner lets the person on the channel see what it answers. */
const handsResultOn = (tool: SnapshotTool | undefined): boolean =>
  tool?.definition.options?.propagate_tool_result ?? false;
