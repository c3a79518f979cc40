import { z } from "zod";
import { timezone } from "../agents/agent-input.ts";
import type { Caller } from "../api/caller.ts";
import { faultsOfText } from "../api/input/yaml-file.ts";
import { write } from "../api/resource.ts";
import { name, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { invalid } from "../base/errors.ts";
import { cutTo } from "../base/storable.ts";
import type { Db } from "../db/database.ts";
import { type AgentFile, readAgentFile, writeAgentFile } from "./agent-file.ts";
import { agentFileOf } from "./export-agent.ts";
import { type AgentImported, type CreatesAgentParts, importAgent } from "./import-agent.ts";

/** An agent to begin with. */
export type AgentTemplate = { key: string; title: string; description: string; file: AgentFile };

const MAX_FILE_CHARACTERS = 1_000_000;

const AgentText = z
  .object({ text: z.string().max(MAX_FILE_CHARACTERS).describe("YAML or JSON") })
  .meta({ id: "AgentFileText" });

const ImportedAgent = z
  .object({
    agent: z.object({ id: z.int(), name: z.string() }),
    parts: z.array(
      z.object({
        kind: z.enum(["service", "tool", "language_group", "bridge_phrases", "custom_message", "prompt"]),
        id: z.int(),
        name: z.string(),
        is_new: z.boolean().describe("false: it existed already, and the agent shares it."),
      }),
    ),
  })
  .meta({ id: "ImportedAgent" });

const TemplateListed = z
  .object({
    key: z.string(),
    title: z.string(),
    description: z.string(),
    tools: z.array(z.string()).describe("The parts it includes."),
  })
  .meta({ id: "AgentTemplate" });

type Deps = { db: Db; creates: CreatesAgentParts; templates: () => readonly AgentTemplate[] };

/** Agents as files: templates to begin with, a file out, a file in, a copy. */
export function addAgentFiles(api: Api, { db, creates, templates }: Deps): void {
  const tag = "agents";
  const params = z.object({ agent_id: recordId() });
  const make = (
    caller: Caller,
    file: AgentFile,
    tool_headers?: Record<string, string> | null,
  ): Promise<AgentImported> =>
    write(db, "A part of the agent", (tx) => importAgent(tx, caller, creates, file, tool_headers));

  api.get(
    "/api/v1/agents/templates",
    {
      summary: "List agent templates",
      tag,
      permission: "agents_read",
      response: z.array(TemplateListed),
    },
    async () =>
      templates().map(({ file, ...told }) => ({ ...told, tools: file.tools.map((tool) => tool.name) })),
  );

  api.post(
    "/api/v1/agents/from_template",
    {
      summary: "Create an agent from a template",
      description: "With its prompt, greeting, languages and tools, all at once or nothing.",
      tag,
      permission: "agents_write",
      body: z
        .object({
          template: z.string(),
          name: name(),
          timezone: timezone.nullish().describe("In place of the template's."),
        })
        .meta({ id: "AgentFromTemplate" }),
      response: ImportedAgent,
    },
    ({ caller, body }) => {
      const template = templates().find(({ key }) => key === body.template);
      if (!template) {
        const known = templates()
          .map(({ key }) => key)
          .join(", ");
        throw invalid(["body", "template"], `There is no template "${body.template}"; there are ${known}.`);
      }
      const file = renamed(template.file, body.name);
      return make(caller, { ...file, timezone: body.timezone ?? file.timezone });
    },
  );

  api.post(
    "/api/v1/agents/import",
    {
      summary: "Create an agent from a file",
      description:
        "With its prompt, greeting, languages and tools, all at once or nothing. What there is already under the same name, and is the same, is shared. Faults name the line.",
      tag,
      permission: "agents_write",
      body: AgentText.extend({ name: name().nullish().describe("In place of the file's.") }).meta({
        id: "AgentImport",
      }),
      response: ImportedAgent,
    },
    async ({ caller, body }) => {
      const read = await readAgentFile(body.text);
      if (!read.ok) throw faultsOfText(read.faults);
      return make(caller, body.name == null ? read.value : renamed(read.value, body.name));
    },
  );

  api.get(
    "/api/v1/agents/:agent_id/export",
    {
      summary: "Get an agent as a YAML file",
      description:
        "With all it is made of, by name. Credentials, headers of tools and addresses are left out.",
      tag,
      permission: "agents_read",
      params,
      response: AgentText,
    },
    async ({ caller, params }) => {
      const { file } = await agentFileOf(db, caller, params.agent_id);
      return { text: writeAgentFile(file) };
    },
  );

  api.post(
    "/api/v1/agents/:agent_id/duplicate",
    {
      summary: "Duplicate an agent",
      description:
        "The copy has a prompt and a greeting of its own, and shares tools, languages and phrases.",
      tag,
      permission: "agents_write",
      params,
      body: z.object({ name: name() }).meta({ id: "AgentDuplicate" }),
      response: ImportedAgent,
    },
    async ({ caller, params, body }) => {
      const { file, tool_headers } = await agentFileOf(db, caller, params.agent_id);
      return make(caller, renamed(file, body.name), tool_headers);
    },
  );
}

/** What is the agent's own is called after it. */
const renamed = (file: AgentFile, name: string): AgentFile => ({
  ...file,
  name,
  prompt: { ...file.prompt, name },
  greeting: file.greeting && { ...file.greeting, name: `${cutTo(name, 240)} greeting` },
});
