import { errorText } from "../base/errors.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { renderTemplate } from "../expressions/template.ts";
import type { LanguageModel, ToolCall, ToolChoice } from "../llm/model.ts";
import { buildMessages, type HistoryEntry, offerTools } from "./build-prompt.ts";
import { displayResult } from "./display-result.ts";
import type { Engine } from "./engine.ts";
import { type LeasedSession, releaseLease, renewLease, takeLease } from "./lease.ts";
import { modelRound } from "./model-round.ts";
import { runTool } from "./run-tool.ts";
import type { SnapshotTool } from "./snapshot.ts";
import { agentTime, sessionFacts } from "./start-session.ts";
import type { SessionAction, ToolContext, ToolEffects, ToolOutcome } from "./tool-outcome.ts";
import { insertTrace, type TraceEntry } from "./trace.ts";
import {
  type AgentMessage,
  findMessageTurn,
  insertAgentMessages,
  insertCalls,
  loadAnswer,
  loadHistory,
  type StoredCall,
  updateSession,
} from "./turn-store.ts";
import { localTime, sessionLookup, systemVariables } from "./variables.ts";

/** A model that calls tools without end is stopped here and has to answer in words (domain decision 4.4). */
const MAX_TOOL_ROUNDS = 10;
/** Past this many calls with bad arguments the model is told to stop trying (domain decision 4.3). */
const MAX_REPAIRS = 2;
const APOLOGY = "I'm sorry, I can't answer right now. Please try again in a moment.";

export type TurnInput = {
  /** What the person said; empty for silence. null: the agent speaks without being spoken to. */
  text: string | null;
  client_message_id?: string | null;
  /** The agent's wall clock for this turn only, for tests. */
  override_timestamp?: string | null;
};

/** What a channel can show while the turn runs. */
export type TurnEvent =
  | { type: "delta"; text: string }
  | { type: "message"; text: string }
  | { type: "tool_call"; tool_call_id: string; tool_name: string; arguments: unknown }
  | {
      type: "tool_result";
      tool_call_id: string;
      tool_name: string;
      error: string | null;
      duration_ms: number;
      display_result: unknown;
    }
  | { type: "session_end"; reason: string };

export type TurnResult = {
  turn_index: number;
  messages: string[];
  calls: StoredCall[];
  action: SessionAction | null;
  language: string;
  variables: Record<string, unknown>;
  ended: boolean;
};

/**
 * Runs one turn: the person's message is stored first, then the model answers, calling tools as it needs, and the
 * answer is stored with what it took. No transaction is open while a model or a tool runs; what a round of tools did
 * is stored before the model is asked again, so that a crash never repeats a call that was made.
 */
export async function runTurn(
  engine: Engine,
  session_id: number,
  input: TurnInput,
  emit: (event: TurnEvent) => void = () => {},
): Promise<TurnResult> {
  const client_message_id = input.client_message_id ?? null;
  const said = input.text === null ? null : { text: input.text, client_message_id };
  const { session, repeated } = await takeLease(engine, session_id, said);
  const lost = new AbortController();
  const stopRenewing = renewLease(engine, session, lost);
  try {
    const turn = new Turn(engine, session, input, emit, lost.signal);
    if (repeated && client_message_id !== null) {
      turn.index = await findMessageTurn(engine, session_id, client_message_id);
      if (turn.index <= session.finished_turn) return await turn.repeat();
    }
    const [history, model] = await Promise.all([
      loadHistory(engine, session_id),
      engine.resolveModel(session.sub_organization_id, session.snapshot.prompt.llm_config),
    ]);
    turn.history = history;
    await turn.run(model);
    return await turn.finish();
  } catch (error) {
    await releaseLease(engine, session).catch(() => {});
    throw error;
  } finally {
    stopRenewing();
  }
}

/** One turn under way: what was said and done so far, not all of it stored yet. */
class Turn {
  index: number;
  history: HistoryEntry[] = [];
  readonly engine: Engine;
  readonly session: LeasedSession;
  readonly input: TurnInput;
  readonly emit: (event: TurnEvent) => void;
  readonly signal: AbortSignal;
  readonly startLanguage: string;
  #messages: string[] = [];
  #calls: StoredCall[] = [];
  #action: SessionAction | null = null;
  #repairs = 0;
  /** Not stored yet. */
  #pending: { messages: AgentMessage[]; calls: StoredCall[]; trace: TraceEntry[]; events: NewEvent[] } =
    nothing();

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

  /** Asks the model, runs what it calls, and asks again until it is done talking. */
  async run(model: LanguageModel): Promise<void> {
    for (let round = 0; ; round++) {
      const last = round === MAX_TOOL_ROUNDS;
      const answered = await this.#ask(model, last ? "none" : "auto");
      this.#pending.trace.push(answered.trace);
      this.#say(answered.text);
      if (!answered.ok) {
        this.#apologize(answered.error);
        return;
      }
      if (answered.calls.length === 0) return;
      if (last) {
        this.#note(`the model still called tools after ${MAX_TOOL_ROUNDS} rounds; the turn was ended`);
        return;
      }
      await this.#runCalls(round, answered.calls);
      if (this.#action) return;
      await this.#store({ over: false });
    }
  }

  /** Stores the rest, gives the lease back, and ends the session if a tool asked for it. */
  async finish(): Promise<TurnResult> {
    const ended = this.#action !== null;
    if (ended) this.#event("conversation", "session-end", "The agent ended the session");
    await this.#store({ over: true, ended });
    if (ended) this.emit({ type: "session_end", reason: "agent" });
    return this.#result(ended);
  }

  /** The answer to a message that was answered before. */
  async repeat(): Promise<TurnResult> {
    this.#messages = await loadAnswer(this.engine, this.session.id, this.index);
    await releaseLease(this.engine, this.session);
    for (const text of this.#messages) this.emit({ type: "message", text });
    return this.#result(false);
  }

  #ask(model: LanguageModel, tool_choice: ToolChoice) {
    const { snapshot, state } = this.session;
    const { lookup } = this.#context();
    const language = { code: state.language, changed: state.language !== this.startLanguage };
    const request = {
      messages: buildMessages(snapshot, this.history, lookup, language),
      tools: offerTools(snapshot.tools, lookup),
      tool_choice,
      temperature: snapshot.prompt.llm_config.temperature ?? null,
      seed: snapshot.prompt.llm_config.seed ?? null,
      signal: this.signal,
    };
    return modelRound(model, request, this.engine.clock, (text) => this.emit({ type: "delta", text }));
  }

  /** Calls of one answer run side by side; what they change is applied in the order they were made. */
  async #runCalls(round: number, calls: ToolCall[]): Promise<void> {
    const context = this.#context();
    const ran = await Promise.all(calls.map((call) => this.#runCall(context, call)));
    ran.forEach(({ call, tool, outcome, started, duration_ms }) => {
      const stored = this.#storedCall(round, call, tool, outcome, started, duration_ms);
      this.#pending.calls.push(stored);
      this.#pending.trace.push(...outcome.trace, {
        category: "tool",
        label: call.name,
        started,
        duration_ms,
        details: { tool_call_id: call.id, ...(outcome.error !== null && { error: outcome.error }) },
      });
      this.history.push(historyCall(stored));
      if (outcome.error !== null) {
        this.#event("automation", "tool-error", `${call.name}: ${outcome.error}`, tool?.id ?? null);
      }
      this.#apply(outcome.effects, tool);
    });
  }

  async #runCall(context: ToolContext, call: ToolCall) {
    const { engine, session } = this;
    const tool = session.snapshot.tools.find((candidate) => candidate.name === call.name);
    this.emit({ type: "tool_call", tool_call_id: call.id, tool_name: call.name, arguments: call.arguments });
    const started = engine.clock.now();
    const before = performance.now();
    let outcome: ToolOutcome;
    try {
      outcome = await runTool(engine, context, tool, call);
    } catch (error) {
      // A fault of ours: the session goes on, and the log says what it was.
      engine.log.error(
        { err: error, session_id: session.id, tool: call.name },
        "a tool call failed unexpectedly",
      );
      const message = "The tool failed unexpectedly.";
      outcome = {
        request: null,
        result: { error: { message } },
        error: `${message} ${errorText(error)}`,
        effects: {},
        trace: [],
      };
    }
    const duration_ms = performance.now() - before;
    const display_result = displayResult(tool?.definition, outcome.result, outcome.error !== null);
    this.emit({
      type: "tool_result",
      tool_call_id: call.id,
      tool_name: call.name,
      error: outcome.error,
      duration_ms,
      display_result,
    });
    if (outcome.error?.startsWith("Invalid arguments") && ++this.#repairs > MAX_REPAIRS) {
      outcome.result = {
        error: { message: `${outcome.error} Don't call this tool again now; tell the person.` },
      };
    }
    return { call, tool, outcome, started, duration_ms };
  }

  #storedCall(
    round: number,
    call: ToolCall,
    tool: SnapshotTool | undefined,
    outcome: ToolOutcome,
    timestamp: Date,
    duration_ms: number,
  ): StoredCall {
    return {
      seq: this.session.next_seq++,
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
      propagate_result: tool?.definition.options?.propagate_tool_result ?? false,
      display_result: displayResult(tool?.definition, outcome.result, outcome.error !== null),
      provider_data: call.provider_data ?? null,
      timestamp,
      duration_ms,
    };
  }

  #apply(effects: ToolEffects, tool: SnapshotTool | undefined): void {
    const { state } = this.session;
    Object.assign(state.variables, effects.variables);
    if (effects.language) state.language = effects.language;
    if (effects.say) this.#say(renderTemplate(effects.say, this.#context().lookup));
    if (effects.event) {
      const { category, type, description, attributes } = effects.event;
      this.#event(category, type, description, tool?.id ?? null, attributes);
    }
    this.#action ??= effects.action ?? null;
  }

  #say(text: string): void {
    const said = text.trim();
    if (said === "") return;
    const message = {
      seq: this.session.next_seq++,
      turn_index: this.index,
      text: said,
      at: this.engine.clock.now(),
    };
    this.#messages.push(said);
    this.#pending.messages.push(message);
    this.history.push({ kind: "message", seq: message.seq, role: "agent", text: said, aside: false });
  }

  /** The model failed twice: the person hears an apology, the session goes on, and an event says why. */
  #apologize(why: string): void {
    this.#say(APOLOGY);
    this.#event("conversation", "llm-error", why);
  }

  #note(label: string): void {
    this.#pending.trace.push({ category: "note", label });
  }

  #event(
    category: string,
    type: string,
    description: string,
    tool_id?: number | null,
    attributes?: Record<string, unknown>,
  ): void {
    const { id, conversation_id, source, prompt_id } = this.session;
    this.#pending.events.push({
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

  #context(): ToolContext {
    const { snapshot, state, channel } = this.session;
    const at = agentTime(this.engine.clock.now(), this.input.override_timestamp, snapshot.agent.timezone);
    const now = localTime(at, snapshot.agent.timezone);
    const system = systemVariables(sessionFacts(this.session), state.language, now);
    return {
      snapshot,
      lookup: sessionLookup(state, system),
      language: state.language,
      channel,
      now,
      signal: this.signal,
    };
  }

  async #store({ over, ended = false }: { over: boolean; ended?: boolean }): Promise<void> {
    const { engine, session } = this;
    const { messages, calls, trace, events } = this.#pending;
    const at = engine.clock.now();
    await engine.db.transaction().execute(async (tx) => {
      const change = { state: session.state, at, over };
      await updateSession(
        tx,
        session,
        ended ? { ...change, ended: { reason: "agent", user_terminated: false } } : change,
      );
      await insertAgentMessages(tx, session, messages);
      await insertCalls(tx, session.id, calls);
      await insertTrace(tx, session.id, this.index, trace, at);
      await publish(tx, session.sub_organization_id, events);
    });
    this.#calls.push(...calls);
    this.#pending = nothing();
    // Told as said only now that it can't be lost any more; until then the visitor saw it as it was written.
    for (const { text } of messages) this.emit({ type: "message", text });
  }

  #result(ended: boolean): TurnResult {
    const { state } = this.session;
    return {
      turn_index: this.index,
      messages: this.#messages,
      calls: this.#calls,
      action: this.#action,
      language: state.language,
      variables: state.variables,
      ended,
    };
  }
}

const nothing = () => ({
  messages: [] as AgentMessage[],
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
