import type { Clock } from "../base/clock.ts";
import { publicText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { retryWait } from "../insights/retry-policy.ts";
import { readToolArguments, type ToolArguments } from "../insights/tool-arguments.ts";
import { definitionById } from "../insights/tool-definition.ts";
import {
  done,
  failed,
  LATER,
  NOTHING_USED,
  type ToolRunner,
  type ToolRunOutcome,
} from "../insights/tool-run.ts";
import { type AnalysisSubject, asTranscript, type Material, TRANSCRIPT_KEY } from "../insights/transcript.ts";
import { hasWords } from "../insights/transcript-text.ts";
import type { ClaimedExecution, ClaimedTool } from "./claim.ts";
import type { Result } from "./result.ts";
import type { Recorder } from "./result-recorder.ts";
import { runInsightTool } from "./run-insight-tool.ts";

export type Running = {
  runner: ToolRunner;
  recorder: Recorder;
  clock: Clock;
  log: Log;
  /** Aborted when the lease was lost or the program stops; nothing is stored after that. */
  signal: AbortSignal;
  /** The outputs of earlier tools; read only when a prompt uses them. */
  loadInsights(): Promise<Record<string, unknown>>;
};

/**
 * Runs the tools of an execution in their order, each with the outputs of those before it. A result is stored before the
 * next tool begins, so that it is never paid for twice. The first failure ends the execution. Resolves when the last tool
 * has run; `stored` resolves once its result is stored, with whether the lease still held.
 */
export async function runExecution(
  execution: ClaimedExecution,
  material: Material,
  running: Running,
): Promise<{ stored: Promise<boolean> }> {
  const { recorder, clock, signal } = running;
  let now = material;
  let insights: Record<string, unknown> | null = null;
  for (const [index, tool] of execution.tools.entries()) {
    const began = performance.now();
    const read = material.gone ? GONE : argumentsOf(tool);
    if (read.ok && namesInsights(read.arguments)) insights = await running.loadInsights();
    const outcome = await outcomeOf(execution, read, now, insights ?? {}, running);
    if (signal.aborted) return NOTHING_STORED;
    const last = index === execution.tools.length - 1;
    const duration_ms = performance.now() - began;
    const result = resultOf(execution, tool, outcome, { at: clock.now(), duration_ms, last });
    const stored = recorder.record(result);
    if (last || outcome.kind !== "done" || !(await stored)) return { stored };
    const words = outcome.values.find(({ key }) => key === TRANSCRIPT_KEY);
    if (words && read.ok && read.arguments.type === "transcription") {
      now = { ...now, transcript: asTranscript(words.value as Parameters<typeof asTranscript>[0]) };
    }
  }
  return NOTHING_STORED;
}

const NOTHING_STORED = { stored: Promise.resolve(false) };

type Read = { ok: true; arguments: ToolArguments } | { ok: false; problem: string };
const GONE: Read = { ok: false, problem: "The recording was deleted before it was analysed." };

/** Executions that were claimed together share their tools' arguments, which are read once. */
const alreadyRead = new WeakMap<object, Read>();

function argumentsOf(tool: ClaimedTool): Read {
  if (tool.deleted) {
    return { ok: false, problem: `The insight tool "${tool.name}" was deleted before it ran.` };
  }
  const given = Object(tool.tool_arguments);
  const known = alreadyRead.get(given);
  if (known) return known;
  const definition = definitionById(tool.insight_tool_definition_id);
  const read: Read = definition
    ? readToolArguments(definition, tool.tool_arguments)
    : { ok: false, problem: "The definition of this tool no longer exists." };
  alreadyRead.set(given, read);
  return read;
}

/** Sessions may end before a word is said: then a model has nothing to find, and the analysis has not failed. */
const hasNothing = (subject: AnalysisSubject, tool: ToolArguments, { transcript }: Material): boolean =>
  "session_id" in subject && tool.type === "llm" && transcript !== null && !hasWords(transcript);

const namesInsights = (tool: ToolArguments): boolean =>
  tool.type === "llm" && tool.prompt.includes("insights");

async function outcomeOf(
  execution: ClaimedExecution,
  read: Read,
  material: Material,
  insights: Record<string, unknown>,
  running: Running,
): Promise<ToolRunOutcome> {
  if (!read.ok) return failed(read.problem);
  if (material.unreadable !== undefined)
    return failed(`The recording could not be read: ${material.unreadable}`, LATER);
  return runTool(execution, read.arguments, material, insights, running);
}

async function runTool(
  { sub_organization_id, subject }: ClaimedExecution,
  tool: ToolArguments,
  material: Material,
  insights: Record<string, unknown>,
  { runner, signal, log }: Running,
): Promise<ToolRunOutcome> {
  if (hasNothing(subject, tool, material)) return done([]);
  try {
    return await runInsightTool(runner, {
      sub_organization_id,
      subject,
      tool,
      ...material,
      insights,
      signal,
    });
  } catch (error) {
    // Aborted: nothing is stored.
    if (signal.aborted) return failed("The tool was broken off.", LATER);
    return failed(`The tool broke: ${publicText(error, log.child(subject), "an insight tool broke")}`, LATER);
  }
}

function resultOf(
  execution: ClaimedExecution,
  tool: ClaimedTool,
  outcome: ToolRunOutcome,
  { at, duration_ms, last }: { at: Date; duration_ms: number; last: boolean },
): Result {
  const used = outcome.kind === "unsupported" ? NOTHING_USED : outcome.used;
  const of = { execution, tool, at, duration_ms, used };
  switch (outcome.kind) {
    case "done":
      return { ...of, outcome: { kind: "done", values: outcome.values, last } };
    case "unsupported":
      return { ...of, outcome: { kind: "failed", message: outcome.message } };
    case "failed": {
      const wait_ms = retryWait(outcome.retry, execution.tries);
      const { message } = outcome;
      if (wait_ms === null) return { ...of, outcome: { kind: "failed", message } };
      return { ...of, outcome: { kind: "retry", message, run_at: new Date(at.getTime() + wait_ms) } };
    }
  }
}
