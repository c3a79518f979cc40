import { agentJson } from "../agents/agent-record.ts";
import type { Caller } from "../api/caller.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { mentionedNames } from "../tools/issues/tool-issues.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";
import type { AgentFile } from "./agent-file.ts";

/** An agent and what the file of it leaves out, for a copy beside it. */
export type ExportedAgent = { file: AgentFile; tool_headers: Record<string, string> | null };

/** An agent of the sub-organization as a file, with the tools of its prompt and those that they call. */
export async function agentFileOf(db: Db, caller: Caller, agent_id: number): Promise<ExportedAgent> {
  const found = await db
    .selectFrom("agents as a")
    .where("a.id", "=", agent_id)
    .where("a.sub_organization_id", "=", caller.sub_organization_id)
    .where("a.deleted_at", "is", null)
    .select(agentJson("a.id").as("record"))
    .executeTakeFirst();
  if (!found?.record.prompt) throw notFound("Agent", agent_id);
  const { prompt, custom_message: message, language_group: group, ...agent } = found.record;
  const end_tool = prompt.session_end_enabled ? (prompt.session_end_tool?.name ?? null) : null;
  const tools = await toolsNamed(db, caller, [...prompt.tools, ...(end_tool === null ? [] : [end_tool])]);
  const file: AgentFile = {
    format: "parley-agent-1",
    name: agent.name,
    description: agent.description ?? null,
    labels: agent.labels ?? null,
    timezone: agent.timezone,
    variables: agent.variables,
    prompt_tool_defaults: agent.prompt_tool_defaults,
    agent_initiated: agent.agent_initiated,
    stt_provider: (agent.stt_provider ?? null) as AgentFile["stt_provider"],
    wait_sound: (agent.wait_sound ?? null) as AgentFile["wait_sound"],
    enable_verbal_language_change: agent.enable_verbal_language_change,
    prompt: {
      name: prompt.name,
      description: prompt.description ?? null,
      context: prompt.context ?? null,
      llm_config: prompt.llm_config,
      tools: prompt.tools,
      session_end_tool: end_tool,
    },
    greeting: message
      ? {
          name: message.name,
          type: message.type,
          preamble: message.preamble ?? null,
          text: message.text,
          subject: message.subject ?? null,
          label: message.label ?? null,
          repeat_after_language_change: message.repeat_after_language_change,
          rules: message.rules,
        }
      : null,
    languages: group
      ? {
          name: group.name,
          description: group.description ?? null,
          language_configs: group.language_configs,
          skip_current_language_in_message: group.skip_current_language_in_message,
        }
      : null,
    bridge_phrases: await bridgePhrases(db, caller, agent.bridge_phrases_id ?? null),
    services: await servicesNamed(db, caller, [...new Set(tools.map(({ service }) => service))]),
    tools,
  };
  return { file, tool_headers: agent.tool_headers };
}

/** Without the built-in ones, which every sub-organization has; those that others call come before them. */
async function toolsNamed(db: Db, caller: Caller, names: readonly string[]): Promise<AgentFile["tools"]> {
  const found = new Map<string, AgentFile["tools"][number]>();
  let wanted = [...new Set(names)];
  while (wanted.length > 0) {
    const rows = await db
      .selectFrom("tools as t")
      .innerJoin("services as s", "s.id", "t.service_id")
      .where("t.sub_organization_id", "=", caller.sub_organization_id)
      .where("t.deleted_at", "is", null)
      .where("s.is_system", "=", false)
      .where("t.name", "in", wanted)
      .select(["t.name", "s.name as service", "t.definition"])
      .orderBy("t.id")
      .$castTo<{ name: string; service: string; definition: ToolDefinition }>()
      .execute();
    for (const row of rows) found.set(row.name, row);
    const called = rows.flatMap(({ definition }) => mentionedNames(definition).called);
    wanted = [...new Set(called)].filter((name) => !found.has(name));
    // A name that no tool has is asked for once.
    if (rows.length === 0) break;
  }
  const ordered = new Set<AgentFile["tools"][number]>();
  const add = (name: string, callers: readonly string[]): void => {
    const tool = found.get(name);
    if (!tool || callers.includes(name)) return;
    for (const called of mentionedNames(tool.definition).called) add(called, [...callers, name]);
    ordered.add(tool);
  };
  for (const name of names) add(name, []);
  return [...ordered];
}

const servicesNamed = async (db: Db, caller: Caller, names: string[]): Promise<AgentFile["services"]> =>
  names.length === 0
    ? []
    : db
        .selectFrom("services")
        .where("sub_organization_id", "=", caller.sub_organization_id)
        .where("deleted_at", "is", null)
        .where("name", "in", names)
        .select(["name", "description"])
        .orderBy("name")
        .execute();

async function bridgePhrases(
  db: Db,
  caller: Caller,
  id: number | null,
): Promise<AgentFile["bridge_phrases"]> {
  if (id === null) return null;
  const row = await db
    .selectFrom("bridge_phrases")
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .select(["name", "description", "config"])
    .$castTo<Omit<NonNullable<AgentFile["bridge_phrases"]>, "is_default">>()
    .executeTakeFirst();
  // Which phrases are the default is the organization's affair.
  return row ? { ...row, is_default: false } : null;
}
