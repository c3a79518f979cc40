import { sql } from "kysely";
import { z } from "zod";
import { ValidationIssue } from "../api/schema.ts";
import { costlyPatterns } from "../llm/scripted/scripted-cost.ts";
import { type Issue, type Path, toValidationIssue } from "../schemas/validation-issue.ts";
import { nestedTool } from "../tools/nested-tool.ts";
import { ToolResponse } from "../tools/tool.ts";
import { promptIssues } from "./prompt-issues.ts";
import { type LlmOffer, llmIssues, PromptLlmConfig } from "./prompt-llm.ts";
import type { RecordJson } from "./record-json.ts";

export const PromptResponse = z
  .object({
    name: z.string(),
    description: z.string().nullish(),
    type: z.string(),
    context: z.string().nullish(),
    tools: z.array(z.string()).meta({ deprecated: true, description: "Names only; see tools_full." }),
    llm_config: PromptLlmConfig,
    session_end_enabled: z.boolean(),
    session_end_tool_id: z.int().nullish(),
    edit_comments: z.string().nullish(),
    id: z.int(),
    last_updated: z.string().nullable(),
    last_updated_by: z.string().nullish(),
    session_end_tool: ToolResponse.nullish(),
    agent_count: z.int().nullish(),
    version_number: z.int().nullish(),
    tools_full: z.array(ToolResponse).nullish(),
    validation_issues: z.array(ValidationIssue).nullish(),
  })
  .meta({ id: "PromptResponse" });
export type PromptResponse = z.infer<typeof PromptResponse>;

/** Without findings; `promptFindings` adds them. Indexes: prompt_tools' primary key, agents_prompt. */
export const promptJson: RecordJson<PromptResponse> = (id) => sql`(
  select json_build_object(
    'name', this_prompt.name,
    'description', this_prompt.description,
    'type', this_prompt.type,
    'context', this_prompt.context,
    'tools', these_tools.names,
    'llm_config', this_prompt.llm_config,
    'session_end_enabled', this_prompt.session_end_enabled,
    'session_end_tool_id', this_prompt.session_end_tool_id,
    'edit_comments', this_prompt.edit_comments,
    'id', this_prompt.id,
    'last_updated', this_prompt.last_updated,
    'last_updated_by', this_prompt.last_updated_by,
    'session_end_tool', (
      select ${nestedTool}
      from tools this_tool join services this_service on this_service.id = this_tool.service_id
      where this_tool.id = this_prompt.session_end_tool_id),
    'agent_count', (
      select count(*) from agents this_user
      where this_user.prompt_id = this_prompt.id and this_user.deleted_at is null),
    'version_number', this_prompt.version_number,
    'tools_full', these_tools.records,
    'validation_issues', null)
  from prompts this_prompt
  cross join lateral (
    select
      coalesce(json_agg(this_tool.name order by this_link.position), '[]') as names,
      coalesce(json_agg(${nestedTool} order by this_link.position), '[]') as records
    from prompt_tools this_link
    join tools this_tool on this_tool.id = this_link.tool_id and this_tool.deleted_at is null
    join services this_service on this_service.id = this_tool.service_id
    where this_link.prompt_id = this_prompt.id) these_tools
  where this_prompt.id = ${sql.ref(id)})`;

export const promptFindings = (prompt: PromptResponse, offer: LlmOffer): PromptResponse => ({
  ...prompt,
  validation_issues: [
    ...llmIssues(prompt.llm_config, offer),
    ...scriptIssues(prompt.context, ["context"]),
    ...promptIssues(prompt, offer),
  ].map(toValidationIssue),
});

/** Whatever the model: the scripted one stands in for each that has no key. */
export const scriptIssues = (text: string | null | undefined, path: Path): Issue[] =>
  costlyPatterns(text ?? "").map(({ message, pattern }) => ({
    id: "script-pattern-too-large",
    severity: "error",
    message,
    path,
    value: pattern,
  }));
