import { findLlm } from "../llm/catalogue.ts";
import { estimateTokens } from "../llm/estimate-tokens.ts";
import type { Issue } from "../schemas/validation-issue.ts";
import { GO_TO_STEP } from "../tools/issues/task-issues.ts";
import { templateIssues } from "../tools/issues/template-issues.ts";
import { taskToolName, toolMentionsOf } from "../tools/task-parts.ts";
import { type ToolDefinition, tasksOf } from "../tools/tool-definition.ts";
import type { LlmOffer, PromptLlmConfig } from "./prompt-llm.ts";

type PromptParts = {
  context?: string | null | undefined;
  tools: string[];
  tools_full?: { name: string; definition: ToolDefinition }[] | null | undefined;
  llm_config: PromptLlmConfig;
  session_end_enabled?: boolean;
  session_end_tool_id?: number | null | undefined;
};

/** What of a prompt's parts doesn't fit together. Warnings: a prompt is often saved before its tools are complete. */
export const promptIssues = (prompt: PromptParts, offer: LlmOffer): Issue[] => [
  ...missingTools(prompt),
  ...missingEndTool(prompt),
  ...tooLong(prompt, offer),
  ...(prompt.context ? templateIssues(prompt.context, ["context"]) : []),
];

/** A workflow's calls, and the tools that its steps allow, are among the prompt's own tools, or they fail. */
function missingTools({ tools, tools_full }: PromptParts): Issue[] {
  const workflows = (tools_full ?? []).map(({ name, definition }) => ({ name, tasks: tasksOf(definition) }));
  const known = new Set([
    GO_TO_STEP,
    // The workflow reports an empty name itself, at its place.
    "",
    ...tools,
    ...workflows.flatMap(({ tasks }) =>
      tasks.flatMap(({ task, path }) => taskToolName(task, path)?.name ?? []),
    ),
  ]);
  return workflows.flatMap(({ name: workflow, tasks }) => {
    const mentioned = tasks.flatMap(({ task, path }) => toolMentionsOf(task, path).map(({ name }) => name));
    return [...new Set(mentioned)]
      .filter((name) => !known.has(name))
      .map((name) => ({
        id: "workflow-tool-missing",
        severity: "warning",
        message: `The workflow ${workflow} uses ${name}, which is not among this prompt's tools. Add it, or the call fails.`,
        path: ["tools"],
        value: name,
      }));
  });
}

/** Nothing is called then. */
const missingEndTool = ({ session_end_enabled, session_end_tool_id }: PromptParts): Issue[] =>
  session_end_enabled && session_end_tool_id == null
    ? [
        {
          id: "session-end-tool-missing",
          severity: "warning",
          message: "No tool is called when a session ends: choose one, or set session_end_enabled to false.",
          path: ["session_end_tool_id"],
        },
      ]
    : [];

/** More tokens than this no character takes, so that a short text need not be counted. */
const MOST_A_CHARACTER = 1.5;

function tooLong({ context, llm_config: { provider, model } }: PromptParts, offer: LlmOffer): Issue[] {
  const entry = findLlm(offer.catalogue, provider, model);
  const window = entry?.context_window ?? null;
  if (!entry || window === null || !context || context.length * MOST_A_CHARACTER <= window) return [];
  const tokens = estimateTokens(context);
  if (tokens <= window) return [];
  return [
    {
      id: "instructions-too-long",
      severity: "warning",
      message: `The instructions take up to ${tokens.toLocaleString("en")} tokens, and ${entry.display_name} reads ${window.toLocaleString("en")} in all. Shorten them, or move text into data sources.`,
      path: ["context"],
    },
  ];
}
