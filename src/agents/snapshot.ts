import { sql } from "kysely";
import type { SafetyRules } from "../accounts/safety-rules.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";

/**
 * What a session freezes when it starts: changes to the agent, its prompt or its tools reach new sessions only.
 * Secrets are not part of it; a service's credentials are read when a tool is called.
 */
export type Snapshot = {
  /** Of a version that was published; absent for what was saved last. */
  version?: number;
  agent: SnapshotAgent;
  prompt: SnapshotPrompt;
  /** In the order the model sees them. */
  tools: SnapshotTool[];
  session_end_tool: SnapshotTool | null;
  message: SnapshotMessage | null;
  language_group: SnapshotLanguageGroup | null;
  /** Only in tests: how calls of tools are answered. */
  test?: SnapshotTest;
  /** Values of campaign and request variables that don't read as plain values; absent where there is none. */
  outreach_texts?: string[];
  /** The organization's, as the session began; absent where there are none. */
  safety?: SafetyRules;
};

/** With `network: "closed"` no call of a tool leaves the program, whether a mock answers it or not. */
export type SnapshotTest = {
  network: "closed" | "open";
  mocks: ToolMock[];
  /** Only in replays: what tools answered in the recorded session. They come before mocks. */
  recorded?: RecordedAnswer[];
};

/** What a tool answered a call with these arguments; calls that are alike are answered in the order of this list. */
export type RecordedAnswer = {
  tool: string;
  arguments: unknown;
  result: unknown;
  /** The whole answer where `result` is only its beginning. */
  whole?: unknown;
  error: string | null;
};

/** A fixed answer to calls of a tool. The first mock that matches a call answers it. */
export type ToolMock = {
  tool: string;
  /** The call's arguments contain these; null: any call. */
  match: Record<string, unknown> | null;
  result: unknown;
  /** The call fails with this text. */
  error: string | null;
  /** How long the service would have taken. Nobody waits; a delay past the tool's timeout is a timeout. */
  delay_ms: number;
  /** In a debugged turn: what the service answered in the session. */
  is_recorded?: true;
};

export type SnapshotAgent = {
  id: number;
  name: string;
  type: string;
  timezone: string;
  variables: Record<string, string>;
  tool_headers: Record<string, string> | null;
  prompt_tool_defaults: {
    tool_name: string;
    default_values: { field_name: string; default_value: unknown }[];
  }[];
  agent_initiated: boolean;
  enable_verbal_language_change: boolean;
  bridge_phrases_id: number | null;
  wait_sound: string | null;
  stt_provider: string | null;
};

export type SnapshotPrompt = {
  id: number;
  name: string;
  version_number: number;
  context: string | null;
  llm_config: {
    provider: "anthropic" | "azure_openai" | "google" | "openai";
    model: string;
    api_version?: string | null;
    temperature?: number | null;
    seed?: number | null;
  };
};

export type SnapshotTool = {
  id: number;
  name: string;
  version_number: number;
  service_id: number;
  is_system: boolean;
  definition: ToolDefinition;
};

export type SnapshotMessage = {
  id: number;
  type: string;
  preamble: string | null;
  text: string;
  subject: string | null;
  /** Whether it is said again, without its menu, once a language was chosen from that. */
  repeat_after_language_change?: boolean;
  rules: SnapshotRule[];
};

type SnapshotRule = {
  description: string;
  time_range_start?: string | null;
  time_range_end?: string | null;
  date?: string | null;
  days_of_week?: string[] | null;
  invert: boolean;
  text: string;
};

export type SnapshotLanguageGroup = {
  id: number;
  language_configs: {
    language_code: string;
    dtmf_code: number;
    voice_provider: string;
    voice_display_name: string;
    voice_speed?: number | null;
    voice_pitch?: number | null;
    /** For this language, where it differs from the group's. */
    skip_current_language_in_message?: boolean | null;
  }[];
  skip_current_language_in_message: boolean;
};

const toolJson = (idColumn: string) => sql`(
  select json_build_object('id', t.id, 'name', t.name, 'version_number', t.version_number,
    'service_id', t.service_id, 'is_system', s.is_system, 'definition', t.definition)
  from tools t join services s on s.id = t.service_id
  where t.id = ${sql.ref(idColumn)})`;

/** live: what people reach, which is the published version where there is one; draft: what was saved last. */
/** All tools that can be called in it: those of its prompt, and the one that ends a session. */
export const toolsIn = ({
  tools,
  session_end_tool,
}: Pick<Snapshot, "tools" | "session_end_tool">): SnapshotTool[] => [
  ...tools,
  ...(session_end_tool ? [session_end_tool] : []),
];

export type AgentState = "live" | "draft" | number;

/** Reads agent, prompt version, tools, message and languages, or the published version, in one statement. */
export async function freezeSnapshot(
  db: Db,
  sub_organization_id: number,
  agent_id: number,
  state: AgentState,
): Promise<Snapshot> {
  const { rows } = await sql<Frozen>`
    select
      published.version_number as version, published.snapshot as published,
      json_build_object('id', a.id, 'name', a.name, 'type', a.type, 'timezone', a.timezone,
        'variables', a.variables, 'tool_headers', a.tool_headers, 'prompt_tool_defaults', a.prompt_tool_defaults,
        'agent_initiated', a.agent_initiated, 'enable_verbal_language_change', a.enable_verbal_language_change,
        'bridge_phrases_id', a.bridge_phrases_id, 'wait_sound', a.wait_sound,
        'stt_provider', a.stt_provider) as agent,
      json_build_object('id', v.prompt_id, 'name', v.prompt_name, 'version_number', v.version_number,
        'context', v.prompt_text, 'llm_config', v.llm_config) as prompt,
      (select json_agg(${toolJson("linked.id")} order by linked.position)
        from (select (link.value ->> 'tool_id')::bigint as id, link.position
          from json_array_elements(v.tools) with ordinality as link (value, position)) as linked
        join tools live on live.id = linked.id and live.deleted_at is null) as tools,
      case when a.enable_verbal_language_change and a.language_group_id is not null then (
        select ${toolJson("changing.id")}
        from (select t.id from tools t join services s on s.id = t.service_id
          where t.sub_organization_id = a.sub_organization_id and t.name = ${LANGUAGE_TOOL}
            and s.is_system and t.deleted_at is null) as changing
      ) end as language_tool,
      case when v.session_end_enabled then (
        select ${toolJson("ended.id")}
        from (select (v.session_end_tool ->> 'tool_id')::bigint as id) as ended where ended.id is not null
      ) end as session_end_tool,
      (select json_build_object('id', m.id, 'type', m.type, 'preamble', m.preamble, 'text', m.text,
          'subject', m.subject, 'rules', m.rules,
          'repeat_after_language_change', m.repeat_after_language_change)
        from custom_messages m where m.id = a.custom_message_id and m.deleted_at is null) as message,
      (select json_build_object('id', g.id, 'language_configs', g.language_configs,
          'skip_current_language_in_message', g.skip_current_language_in_message)
        from language_groups g where g.id = a.language_group_id and g.deleted_at is null) as language_group
    from agents a
    join prompts p on p.id = a.prompt_id
    join prompt_versions v on v.prompt_id = p.id
      and v.version_number = coalesce(a.prompt_version_number, p.version_number)
    left join agent_versions published on published.agent_id = a.id and published.version_number = ${wantedVersion(state)}
    where a.id = ${agent_id} and a.sub_organization_id = ${sub_organization_id} and a.deleted_at is null
  `.execute(db);
  const [row] = rows;
  if (!row) throw notFound("Agent", agent_id);
  const { language_tool, version, published, ...frozen } = row;
  if (version !== null && published !== null) return { ...published, version };
  if (typeof state === "number") throw notFound("Version", state);
  if (row.agent.type !== "ca_v1")
    throw new Fault("refused", `Agents of type ${row.agent.type} can't hold sessions.`);
  return { ...frozen, tools: withLanguages(row.tools ?? [], language_tool, row.language_group) };
}

/** The snapshot with built-in tools that a channel needs, also where the prompt doesn't name them. */
export async function withBuiltInTools(
  db: Db,
  sub_organization_id: number,
  snapshot: Snapshot,
  names: readonly string[],
): Promise<Snapshot> {
  const missing = names.filter((name) => !snapshot.tools.some((tool) => tool.name === name));
  if (missing.length === 0) return snapshot;
  const { rows } = await sql<{ tool: SnapshotTool }>`
    select ${toolJson("added.id")} as tool
    from tools added join services of on of.id = added.service_id
    where added.sub_organization_id = ${sub_organization_id} and added.name = any(${missing})
      and of.is_system and added.deleted_at is null
    order by added.id
  `.execute(db);
  return { ...snapshot, tools: [...snapshot.tools, ...rows.map(({ tool }) => tool)] };
}

type Frozen = Omit<Snapshot, "tools" | "version"> & {
  tools: SnapshotTool[] | null;
  language_tool: SnapshotTool | null;
  version: number | null;
  published: Snapshot | null;
};

const wantedVersion = (state: AgentState) =>
  state === "live" ? sql`a.published_version` : sql`${state === "draft" ? null : state}::bigint`;

const LANGUAGE_TOOL = "set_current_language";

/**
 * An agent that changes language when it is asked to has the tool for that, also where it was switched on after the
 * prompt was last saved; and the model may only choose among the languages of the agent's group.
 */
function withLanguages(
  tools: SnapshotTool[],
  language_tool: SnapshotTool | null,
  group: SnapshotLanguageGroup | null,
): SnapshotTool[] {
  const isThere = tools.some(({ name }) => name === LANGUAGE_TOOL);
  const codes = group?.language_configs.map(({ language_code }) => language_code) ?? [];
  return [...tools, ...(language_tool && !isThere ? [language_tool] : [])].map((tool) =>
    tool.is_system && tool.name === LANGUAGE_TOOL && codes.length > 0 ? choosing(tool, codes) : tool,
  );
}

function choosing(tool: SnapshotTool, codes: string[]): SnapshotTool {
  const { definition } = tool;
  const parameters = definition.tool.function.parameters as { properties: { language: object } };
  const language = { ...parameters.properties.language, enum: [...new Set(codes)] };
  const properties = { ...parameters.properties, language };
  const made = { ...definition.tool.function, parameters: { ...parameters, properties } };
  return { ...tool, definition: { ...definition, tool: { ...definition.tool, function: made } } };
}
