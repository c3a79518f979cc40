import { ModelError, type ToolCall } from "../llm/model.ts";
import { done, failed, type ToolOutcome } from "../tool-calls/tool-outcome.ts";
import type { Round } from "../turns/rounds/model-round.ts";
import type { TurnDebug } from "../turns/turn-control.ts";
import type { TaskMemory, TaskStop } from "../workflows/task-run.ts";

/*
 * A debugged turn is told again from its beginning each time: models and tools answer as they did, and the author's changes
 * are made at the stops where they were made. So it reaches the same place in any process, and goes on from there.
 */

type PlainRound = (Extract<Round, { ok: true }> | Omit<Extract<Round, { ok: false }>, "failure">) & {
  failure?: { kind: ModelError["kind"]; provider: string; message: string; retryable: boolean };
};

/** What models and tools answered, in their order, as plain data. */
export type TurnRecord = { rounds: PlainRound[]; calls: ToolOutcome[] };

/** What an author changed at a stop. `answer`: in the place of the tool before whose call the turn stopped. */
export type StopDecision = {
  variables: Record<string, unknown>;
  answer?: { result: unknown; error: string | null };
};

export type TurnBreakpoints = { steps: string[]; guards: string[]; tools: string[] };

type DebugStop = TaskStop | { kind: "tool"; tool: string; arguments: Record<string, unknown> };

/** Where a turn stands. `number`: its place among all stops of the turn, whether it stops there or not. */
export type ReachedStop = { number: number; at: DebugStop; memory: TaskMemory };

/** Thrown through a turn that is to stop; nothing of it is stored. */
export class TurnStopped extends Error {
  readonly reached: ReachedStop;

  constructor(reached: ReachedStop) {
    super(`a turn that is debugged stops before a ${reached.at.kind}`);
    this.name = "TurnStopped";
    this.reached = reached;
  }
}

type RecordedParts = {
  record: TurnRecord;
  breakpoints: TurnBreakpoints;
  /** Stops up to this number are passed. */
  passed: number;
  decisions: Record<string, StopDecision>;
  /** Keeps the record, so that a call that was made is never made again. */
  keep(record: TurnRecord): Promise<void>;
};

export function recordedTurn({ record, breakpoints, passed, decisions, keep }: RecordedParts): TurnDebug {
  let number = 0;
  let rounds_told = 0;
  let calls_told = 0;
  const reach = (at: DebugStop, memory: TaskMemory): StopDecision | null => {
    number += 1;
    if (number <= passed) return decisions[number] ?? null;
    if (stopsAt(breakpoints, at)) throw new TurnStopped({ number, at, memory });
    return null;
  };
  return {
    watch: (at, memory) => reach(at, memory)?.variables ?? null,
    async round(ask) {
      const told = record.rounds[rounds_told++];
      if (told) return livingRound(told);
      const round = await ask();
      record.rounds.push(plainRound(round));
      await keep(record);
      return round;
    },
    beforeCall(call, variables) {
      const at = { kind: "tool" as const, tool: call.name, arguments: call.arguments };
      const decision = reach(at, { variables, local: {}, inputs: {} });
      return {
        variables: decision?.variables ?? {},
        outcome: decision?.answer ? byAuthor(call, decision.answer) : null,
      };
    },
    async call(run) {
      const told = record.calls[calls_told++];
      if (told) return livingCall(told);
      const outcome = await run();
      record.calls.push(outcome);
      await keep(record);
      return outcome;
    },
  };
}

/** Breakpoints name steps, tools, and the steps to which a condition leads. */
function stopsAt({ steps, guards, tools }: TurnBreakpoints, at: DebugStop): boolean {
  if (at.kind === "step") return steps.includes(at.step);
  if (at.kind === "tool") return tools.includes(at.tool);
  return at.step !== null && guards.includes(at.step);
}

function byAuthor(
  { name, arguments: given }: Pick<ToolCall, "name" | "arguments">,
  { result, error }: NonNullable<StopDecision["answer"]>,
): ToolOutcome {
  const request = { debugger: true, arguments: given };
  const note = { category: "note" as const, label: `${name} was answered in the debugger` };
  if (error !== null) return failed(error, request, [note]);
  return { ...done(result, {}, request), prepared: given, trace: [note] };
}

function plainRound(round: Round): PlainRound {
  if (round.ok) return round;
  const { kind, provider, message, retryable } = round.failure;
  return { ...round, failure: { kind, provider, message, retryable } };
}

/** Times are texts once they were stored. */
function livingRound({ failure, ...round }: PlainRound): Round {
  const { trace, sent } = round;
  const told = {
    ...round,
    trace: livingTrace(trace),
    sent: { ...sent, at: new Date(sent.at) },
  };
  if (!failure) return told as Round;
  const { kind, provider, message, retryable } = failure;
  return { ...told, failure: new ModelError(kind, provider, message, { retryable }) } as Round;
}

const livingCall = (outcome: ToolOutcome): ToolOutcome => ({
  ...outcome,
  trace: outcome.trace.map(livingTrace),
});

const livingTrace = <T extends { started?: Date }>(entry: T): T =>
  entry.started === undefined ? entry : { ...entry, started: new Date(entry.started) };
