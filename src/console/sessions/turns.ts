import type { TimelineEvent, TraceEntryResponse } from "../api-types.ts";

/** One turn of a session as the page shows it: what was said and called, and what the engine did for it. */
export type Turn = {
  /** 0 is the opening. */
  index: number;
  begun: string | null;
  /** From the message to the end of the answer; null without a debug trace. */
  duration_ms: number | null;
  /** Messages and tool calls in order. */
  events: TimelineEvent[];
  trace: TraceEntryResponse[];
};

/** An entry without a turn of its own, such as a message that arrived during an answer, belongs to the turn before. */
export function turnsOf(events: TimelineEvent[], trace: TraceEntryResponse[]): Turn[] {
  const turns = new Map<number, Turn>();
  const turn = (index: number): Turn => {
    let found = turns.get(index);
    if (!found) {
      found = { index, begun: null, duration_ms: null, events: [], trace: [] };
      turns.set(index, found);
    }
    return found;
  };
  let last = 0;
  for (const event of events) {
    last = event.turn_index ?? last;
    const found = turn(last);
    found.begun ??= event.timestamp;
    if (event.kind !== "latency") found.events.push(event);
  }
  for (const entry of trace) {
    const found = turn(entry.turn_index ?? 0);
    found.trace.push(entry);
    if (entry.category === "turn") found.duration_ms = entry.duration_ms;
  }
  for (const { trace: entries } of turns.values()) entries.sort(byBeginning);
  return [...turns.values()].toSorted((one, other) => one.index - other.index);
}

/** Entries are written when they end, but read in the order in which they began. */
const byBeginning = (one: TraceEntryResponse, other: TraceEntryResponse): number =>
  Date.parse(one.timestamp) - Date.parse(other.timestamp) || one.id - other.id;

/** A span of a waterfall, its ends as shares of the whole. */
export type Span = { entry: TraceEntryResponse; from: number; width: number };

/** The timed entries of a turn on one scale, and the scale's length. */
export function waterfall(trace: TraceEntryResponse[]): { spans: Span[]; total_ms: number } {
  const timed = trace.filter(({ duration_ms, category }) => duration_ms !== null && category !== "turn");
  if (timed.length === 0) return { spans: [], total_ms: 0 };
  const whole = trace.find(({ category }) => category === "turn");
  const starts = timed.map(({ timestamp }) => Date.parse(timestamp));
  const ends = timed.map((entry, index) => (starts[index] ?? 0) + (entry.duration_ms ?? 0));
  const begin = Math.min(...starts, ...(whole ? [Date.parse(whole.timestamp)] : []));
  const end = Math.max(...ends, ...(whole ? [Date.parse(whole.timestamp) + (whole.duration_ms ?? 0)] : []));
  const total_ms = Math.max(end - begin, 1);
  const spans = timed.map((entry, index) => ({
    entry,
    from: ((starts[index] ?? begin) - begin) / total_ms,
    width: (entry.duration_ms ?? 0) / total_ms,
  }));
  return { spans, total_ms };
}

/** The state of a session from its trace: the workflow's step and the variables. */
type EngineState = {
  workflow: string | null;
  step: string | null;
  /** The latest value of each variable, the newest last. */
  variables: Map<string, unknown>;
  input_tokens: number;
  output_tokens: number;
  /** The offline model answered, not a provider's. */
  is_scripted: boolean;
};

export function engineState(trace: TraceEntryResponse[]): EngineState {
  const state: EngineState = {
    workflow: null,
    step: null,
    variables: new Map(),
    input_tokens: 0,
    output_tokens: 0,
    is_scripted: false,
  };
  for (const { category, label, details } of trace) {
    const told = details ?? {};
    if (category === "step" && label === "entered") {
      state.workflow = text(told.workflow);
      state.step = text(told.step);
    }
    if (category === "step" && label === "completed") state.step = null;
    if (category === "llm") {
      state.input_tokens += Number(told.input_tokens ?? 0);
      state.output_tokens += Number(told.output_tokens ?? 0);
      state.is_scripted ||= told.scripted === true;
    }
    const changes = (told.changes ?? {}) as Record<string, { after?: unknown }>;
    for (const [name, { after }] of Object.entries(changes)) state.variables.set(name, after ?? null);
  }
  return state;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
