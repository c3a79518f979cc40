import { RE2JS } from "re2js";
import { unreachable } from "../base/errors.ts";
import { BoundedCache } from "../expressions/bounded-cache.ts";
import type { InsightValue } from "./check-answer.ts";
import { runHttpTool } from "./run-http-tool.ts";
import { runLlmTool } from "./run-llm-tool.ts";
import type { ToolArguments } from "./tool-arguments.ts";
import { done, failed, type ToolRun, type ToolRunner, type ToolRunOutcome } from "./tool-run.ts";
import { transcribe } from "./transcribe.ts";
import type { Transcript } from "./transcript.ts";

/** Runs one tool; whatever is wrong with it, its subject or a service is an outcome. */
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
      return done(findPattern(tool, transcript));
    default:
      return unreachable(tool);
  }
}

const patterns = new BoundedCache<RE2JS>(100);

/** RE2 takes time in proportion to the text, whatever the pattern. */
function findPattern(
  { pattern, field }: Extract<ToolArguments, { type: "regex" }>,
  transcript: Transcript,
): InsightValue[] {
  const said = transcript.flatMap((entry) =>
    entry.kind === "said" && (field == null || field === "transcript" || entry.role.toLowerCase() === field)
      ? [entry.text]
      : [],
  );
  const matcher = patterns.get(pattern, () => RE2JS.compile(pattern)).matcher(said.join("\n"));
  const matched = matcher.find();
  const value = matched ? ((matcher.groupCount() > 0 ? matcher.group(1) : matcher.group()) ?? "") : "";
  return [
    { key: "matched", type: "boolean", value: matched },
    { key: "value", type: "string", value },
  ];
}
