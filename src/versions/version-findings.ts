import { z } from "zod";
import { promptIssues } from "../agents/prompt-issues.ts";
import { type LlmOffer, llmIssues } from "../agents/prompt-llm.ts";
import type { Snapshot } from "../agents/snapshot.ts";
import { type Issue, jsonPath } from "../schemas/validation-issue.ts";
import { type LanguageConfig, languageChangeIssues, voiceIssues } from "../speech/language-config.ts";
import { sttIssues } from "../speech/speech.ts";
import { type CallTarget, eitherTarget, targetOfTask, targetOfTool } from "../tools/call-target.ts";
import { headerIssues } from "../tools/issues/header-issues.ts";
import { settingIssues } from "../tools/issues/setting-issues.ts";
import { sourcesOfTool } from "../tools/issues/source-issues.ts";
import { toolIssues } from "../tools/issues/tool-issues.ts";
import { variableIssues } from "../tools/issues/variable-issues.ts";
import { taskToolName } from "../tools/task-parts.ts";
import { tasksOf } from "../tools/tool-definition.ts";

/** What is doubtful about a state of an agent, as saving its parts would tell; hints are left out. */
export const AgentFinding = z
  .object({
    part: z.string().describe("instructions, settings, languages, or a tool by its name."),
    id: z.string(),
    severity: z.enum(["warning", "error"]),
    message: z.string(),
    path: z.string(),
  })
  .meta({ id: "AgentFinding" });
type AgentFinding = z.infer<typeof AgentFinding>;

/** Names are those of the version itself: what was made, renamed or deleted since changes nothing. Pure. */
export function snapshotFindings(snapshot: Snapshot, offer: LlmOffer): AgentFinding[] {
  const { agent, prompt, tools, language_group } = snapshot;
  const targets = new Map<string, CallTarget>();
  for (const { name, definition } of tools) {
    targets.set(name, targetOfTool(definition));
    for (const { task, path } of tasksOf(definition)) {
      const shown = taskToolName(task, path)?.name;
      if (shown) targets.set(shown, eitherTarget(targets.get(shown), targetOfTask(task)));
    }
  }
  const callable = new Set(targets.keys());
  const own = tools.filter(({ is_system }) => !is_system);
  const { context, llm_config } = prompt;
  const config = { version: null, api_version: null, temperature: null, seed: null, ...llm_config };
  return [
    ...found("instructions", [
      ...llmIssues(config, offer),
      ...promptIssues(
        { context, tools: tools.map(({ name }) => name), tools_full: own, llm_config: config },
        offer,
      ),
    ]),
    ...found("settings", [
      ...sttIssues(agent.stt_provider),
      ...headerIssues(agent.tool_headers),
      ...variableIssues(agent.variables),
      ...languageChangeIssues(agent, language_group?.language_configs),
      ...settingIssues({ prompt_tool_defaults: agent.prompt_tool_defaults, tools }),
    ]),
    ...found("languages", voiceIssues((language_group?.language_configs ?? []) as LanguageConfig[])),
    ...own.flatMap(({ name, definition }) => {
      const taken = new Set(tools.filter((other) => other.name !== name).map((other) => other.name));
      // Data sources are no part of a version.
      const sources = new Set(sourcesOfTool(definition));
      return found(
        name,
        toolIssues(definition, { name, is_system: false, callable, targets, taken, sources }),
      );
    }),
  ];
}

const found = (part: string, issues: readonly Issue[]): AgentFinding[] =>
  issues.flatMap(({ id, severity, message, path }) =>
    severity === "info" ? [] : [{ part, id, severity, message, path: jsonPath(path) }],
  );
