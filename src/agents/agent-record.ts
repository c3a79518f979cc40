import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { timestamp, ValidationIssue } from "../api/schema.ts";
import { toValidationIssue } from "../schemas/validation-issue.ts";
import { languageChangeIssues } from "../speech/language-config.ts";
import { sttIssues } from "../speech/speech.ts";
import { headerIssues } from "../tools/issues/header-issues.ts";
import { settingIssues } from "../tools/issues/setting-issues.ts";
import { variableIssues } from "../tools/issues/variable-issues.ts";
import { ToolResponse } from "../tools/tool.ts";
import { AgentToolDefaults } from "./agent-input.ts";
import { CustomMessageResponse, customMessageJson, messageFindings } from "./custom-message.ts";
import { LanguageGroupResponse, languageGroupFindings, languageGroupJson } from "./language-group.ts";
import type { LlmOffer } from "./prompt-llm.ts";
import { PromptResponse, promptFindings, promptJson } from "./prompt-record.ts";
import type { RecordJson } from "./record-json.ts";

/** A channel target as its agent shows it: all of it but the agent again. */
const AgentChannelTarget = z
  .object({
    agent_id: z.int(),
    channel_id: z.int(),
    target: z.string(),
    target_mode: z.string(),
    fallback_target: z.string().nullish(),
    is_test: z.boolean(),
    id: z.int(),
    channel_name: z.string(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
    agent: z.null(),
    a2p_verified: z.boolean().nullish(),
  })
  .meta({ id: "AgentChannelTarget" });

export const AgentResponse = z
  .object({
    name: z.string(),
    description: z.string().nullish(),
    label: z.string().nullish().meta({ deprecated: true, description: "Use labels." }),
    labels: z.array(z.string()).nullish(),
    type: z.string(),
    prompt_id: z.int(),
    prompt_version_number: z.int().nullish(),
    custom_message_id: z.int().nullish(),
    language_group_id: z.int().nullish(),
    bridge_phrases_id: z.int().nullish(),
    timezone: z.string(),
    prompt_tool_defaults: z.array(AgentToolDefaults),
    languages: z.array(z.string()).meta({ deprecated: true }),
    variables: z.record(z.string(), z.string()),
    tool_headers: z.record(z.string(), z.string()).nullable(),
    agent_initiated: z.boolean(),
    stt_provider: z.string().nullish(),
    wait_sound: z.string().nullish(),
    enable_verbal_language_change: z.boolean(),
    id: z.int(),
    updated_at: timestamp(),
    last_updated_by: z.string().nullable(),
    prompt: PromptResponse.nullish(),
    custom_message: CustomMessageResponse.nullish(),
    channel_targets: z.array(AgentChannelTarget).nullish(),
    tools: z.array(ToolResponse).nullish().describe("The prompt's tools."),
    language_group: LanguageGroupResponse.nullish(),
    validation_issues: z.array(ValidationIssue).nullish(),
  })
  .meta({ id: "AgentResponse" });
export type AgentResponse = z.infer<typeof AgentResponse>;

/**
 * An agent with all that hangs on it, but for findings; `agentFindings` adds them. A row of the agents' list, and the
 * agent nested in a channel target.
 * Indexes: channel_targets_agent, and those of the nested records.
 */
export const agentJson: RecordJson<AgentResponse> = (id) => agentDocument(id, channelTargets);

/** The same inside one of its channel targets, where its targets are left out: the list they would stand in is theirs. */
export const nestedAgent: RecordJson<AgentResponse> = (id) => agentDocument(id, sql`null`);

const channelTargets = sql`(
  select coalesce(json_agg(json_build_object(
      'agent_id', this_target.agent_id,
      'channel_id', this_target.channel_id,
      'target', this_target.target,
      'target_mode', this_target.target_mode,
      'fallback_target', this_target.fallback_target,
      'is_test', this_target.is_test,
      'id', this_target.id,
      'channel_name', this_channel.name,
      'updated_at', this_target.updated_at,
      'last_updated_by', this_target.last_updated_by,
      'agent', null,
      'a2p_verified', this_target.a2p_verified) order by this_target.id), '[]')
  from channel_targets this_target join channels this_channel on this_channel.id = this_target.channel_id
  where this_target.agent_id = this_agent.id)`;

const agentDocument = (id: string, channel_targets: RawBuilder<unknown>) => sql<AgentResponse>`(
  select json_build_object(
    'name', this_agent.name,
    'description', this_agent.description,
    'label', this_agent.label,
    'labels', this_agent.labels,
    'type', this_agent.type,
    'prompt_id', this_agent.prompt_id,
    'prompt_version_number', this_agent.prompt_version_number,
    'custom_message_id', this_agent.custom_message_id,
    'language_group_id', this_agent.language_group_id,
    'bridge_phrases_id', this_agent.bridge_phrases_id,
    'timezone', this_agent.timezone,
    'prompt_tool_defaults', this_agent.prompt_tool_defaults,
    'languages', this_agent.languages,
    'variables', this_agent.variables,
    'tool_headers', this_agent.tool_headers,
    'agent_initiated', this_agent.agent_initiated,
    'stt_provider', this_agent.stt_provider,
    'wait_sound', this_agent.wait_sound,
    'enable_verbal_language_change', this_agent.enable_verbal_language_change,
    'id', this_agent.id,
    'updated_at', this_agent.updated_at,
    'last_updated_by', this_agent.last_updated_by,
    'prompt', its_prompt.record,
    'custom_message', ${customMessageJson("this_agent.custom_message_id")},
    'channel_targets', ${channel_targets},
    'tools', its_prompt.record -> 'tools_full',
    'language_group', ${languageGroupJson("this_agent.language_group_id")},
    'validation_issues', null)
  from agents this_agent
  cross join lateral (select ${promptJson("this_agent.prompt_id")} as record) its_prompt
  where this_agent.id = ${sql.ref(id)})`;

/** Missing data sources and tools are found by `withLookedUpIssues`, which asks the database. */
export const agentFindings = (agent: AgentResponse, offer: LlmOffer): AgentResponse => ({
  ...agent,
  prompt: agent.prompt && promptFindings(agent.prompt, offer),
  custom_message: agent.custom_message && messageFindings(agent.custom_message),
  language_group: agent.language_group && languageGroupFindings(agent.language_group),
  validation_issues: [
    ...sttIssues(agent.stt_provider),
    ...headerIssues(agent.tool_headers),
    ...variableIssues(agent.variables),
    ...languageChangeIssues(agent, agent.language_group?.language_configs),
    ...settingIssues({ prompt_tool_defaults: agent.prompt_tool_defaults, tools: agent.tools ?? [] }),
  ].map(toValidationIssue),
});
