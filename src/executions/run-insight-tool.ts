import { unreachable } from "../base/errors.ts";
import { compilePattern, PatternError, PatternMeter } from "../base/pattern.ts";
import type { InsightValue } from "../insights/check-answer.ts";
import type { ToolArguments } from "../insights/tool-arguments.ts";
import { done, failed, type ToolRun, type ToolRunner, type ToolRunOutcome } from "../insights/tool-run.ts";
import type { Transcript } from "../insights/transcript.ts";
import { transcribe } from "../transcription/transcribe.ts";
import { runHttpTool } from "./run-http-tool.ts";
import { runLlmTool } from "./run-llm-tool.ts";

/** Runs one tool. Errors of the tool, its subject or a service are outcomes, never thrown. */
export async function runInsightTool(runner: ToolRunner, run: ToolRun): Promise<ToolRunOutcome> {
  const { tool, transcript } = run;
  if (tool.type === "transcription") return transcribe(runner, { ...run, tool });
  if (transcript === null) {
    return failed("The recording has no transcript yet. Put a transcribe tool before this one.");
  }
  switch (tool.type) {
    case "llm":
      return runLlmTool(runner, { ...run, tool }, transcript);
    case "http":
      return runHttpTool(runner, { ...run, tool }, transcript);
    case "regex":
      return runPattern(tool, transcript);
    default:
      return unreachable(tool);
  }
}

type PatternTool = Extract<ToolArguments, { type: "regex" }>;

/** 130 ms at the worst: 100,000 characters, two hours of talk, by a pattern of 40 instructions such as `order (no|number) \\d+`. */
const MAX_PAIRS = 4_000_000;

/** RE2's time grows with the product of text and pattern length, so products over the limit are refused. */
function runPattern(tool: PatternTool, transcript: Transcript): ToolRunOutcome {
  try {
    return done(findPattern(tool, transcript));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return failed(`The pattern can't be run on this transcript: ${error.message}.`);
  }
}

function findPattern({ pattern: source, field }: PatternTool, transcript: Transcript): InsightValue[] {
  const said = transcript.flatMap((entry) =>
    entry.kind === "said" && (field == null || field === "transcript" || entry.role.toLowerCase() === field)
      ? [entry.text]
      : [],
  );
  const pattern = compilePattern(source);
  const text = said.join("\n");
  new PatternMeter(MAX_PAIRS).spend(pattern, text);
  const matcher = pattern.program.matcher(text);
  const matched = matcher.find();
  const value = matched ? ((matcher.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? "") : "";
  return [
    { key: "matched", type: "boolean", value: matched },
    { key: "value", type: "string", value },
  ];
}
