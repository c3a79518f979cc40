import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { CreatesAgents } from "../agents/routes.ts";
import { type Caller, requirePermission } from "../api/caller.ts";
import { InvalidInput, invalid } from "../base/errors.ts";
import { cutTo } from "../base/storable.ts";
import type { Tx } from "../db/database.ts";
import type { CreatesTools } from "../tools/routes.ts";
import type { AgentFile } from "./agent-file.ts";

/** How the rooms create what an agent is made of. */
export type CreatesAgentParts = CreatesTools & CreatesAgents;

/** What an import did with one part of the file. */
export type ImportedPart = {
  kind: "service" | "tool" | "language_group" | "bridge_phrases" | "custom_message" | "prompt";
  id: number;
  name: string;
  /** false: there was one of this name already, and the agent shares it. */
  is_new: boolean;
};

export type AgentImported = { agent: { id: number; name: string }; parts: ImportedPart[] };

/**
 * Makes the agent of a file, with a prompt and a greeting of its own. Tools, services, languages and bridge phrases that
 * are there already, and the same, are shared; a name that is taken gets a number behind it. A tool's name can't change,
 * since models and workflows call it: one that is there and differs is refused at its place. All or nothing, in the
 * caller's transaction.
 */
export async function importAgent(
  tx: Tx,
  caller: Caller,
  creates: CreatesAgentParts,
  file: AgentFile,
  /** What a file does not hold. */
  tool_headers: Record<string, string> | null = null,
): Promise<AgentImported> {
  const parts: ImportedPart[] = [];
  /** Creates one part; what is wrong with it is told at its place in the file. */
  const make = async (
    kind: ImportedPart["kind"],
    path: (string | number)[],
    create: () => Promise<{ id: number; name: string }>,
  ): Promise<number> => {
    requirePermission(caller, `${PERMISSIONS[kind]}_write`);
    const { id, name } = await at(path, create);
    parts.push({ kind, id, name, is_new: true });
    return id;
  };
  const share = (kind: ImportedPart["kind"], { id, name }: { id: number; name: string }): number => {
    parts.push({ kind, id, name, is_new: false });
    return id;
  };

  const service_ids = new Map<string, number>();
  for (const [index, service] of file.services.entries()) {
    const [there] = await named(tx, caller, "services", service.name);
    const create = () => creates.service(tx, caller, service);
    const id = there ? share("service", there) : await make("service", ["services", index], create);
    service_ids.set(service.name, id);
  }

  const tool_ids = new Map<string, number>();
  for (const [index, { name, service, definition }] of file.tools.entries()) {
    const [there] = await named(tx, caller, "tools", name);
    if (there) {
      if (!isSame(there.definition, definition)) throw differs(index, name);
      tool_ids.set(name, share("tool", there));
      continue;
    }
    const service_id = service_ids.get(service);
    if (service_id === undefined)
      throw invalid(
        ["body", "text", "tools", index, "service"],
        `The file has no service named "${service}". Add it to services.`,
      );
    const create = () => creates.tool(tx, caller, { name, definition, service_id });
    tool_ids.set(name, await make("tool", ["tools", index], create));
  }

  const { languages, bridge_phrases, greeting } = file;
  const language_group_id = languages && (await languagesOf(languages));
  const bridge_phrases_id = bridge_phrases && (await bridgesOf(bridge_phrases));
  const custom_message_id =
    greeting &&
    (await make("custom_message", ["greeting"], async () =>
      creates.message(tx, caller, {
        ...greeting,
        name: await freeName(tx, caller, "custom_messages", greeting.name),
      }),
    ));

  const { session_end_tool, ...prompt } = file.prompt;
  const session_end_tool_id = session_end_tool == null ? null : await endTool(session_end_tool);
  const prompt_id = await make("prompt", ["prompt"], async () =>
    creates.prompt(tx, caller, {
      ...prompt,
      name: await freeName(tx, caller, "prompts", prompt.name),
      type: "prompt_v1",
      session_end_enabled: session_end_tool_id !== null,
      session_end_tool_id,
      include_default_tools: false,
    }),
  );

  const agent = await at([], async () =>
    creates.agent(tx, caller, {
      name: await freeName(tx, caller, "agents", file.name),
      description: file.description,
      labels: file.labels,
      type: "ca_v1",
      prompt_id,
      custom_message_id,
      language_group_id,
      bridge_phrases_id,
      timezone: file.timezone,
      prompt_tool_defaults: file.prompt_tool_defaults,
      languages: [],
      variables: file.variables,
      tool_headers,
      agent_initiated: file.agent_initiated,
      stt_provider: file.stt_provider,
      wait_sound: file.wait_sound,
      enable_verbal_language_change: file.enable_verbal_language_change,
    }),
  );
  return { agent: { id: agent.id, name: agent.name }, parts };

  async function languagesOf(given: Languages): Promise<number> {
    const [there] = await named(tx, caller, "language_groups", given.name);
    if (there && isSame(there.language_configs, stored(given))) return share("language_group", there);
    const name = await freeName(tx, caller, "language_groups", given.name);
    return make("language_group", ["languages"], () => creates.languages(tx, caller, { ...given, name }));
  }

  async function bridgesOf(given: NonNullable<AgentFile["bridge_phrases"]>): Promise<number> {
    const [there] = await named(tx, caller, "bridge_phrases", given.name);
    if (there && isSame(there.config, given.config)) return share("bridge_phrases", there);
    const name = await freeName(tx, caller, "bridge_phrases", given.name);
    const input = { ...given, name, is_default: false };
    return make("bridge_phrases", ["bridge_phrases"], () => creates.bridges(tx, caller, input));
  }

  async function endTool(name: string): Promise<number> {
    const id = tool_ids.get(name) ?? (await named(tx, caller, "tools", name))[0]?.id;
    if (id === undefined)
      throw invalid(["body", "text", "prompt", "session_end_tool"], `There is no tool named "${name}".`);
    return id;
  }
}

/** Each language says for itself whether menus leave it out, as it is stored. */
const stored = ({ language_configs, skip_current_language_in_message: skip }: Languages) =>
  language_configs.map((config) => ({
    ...config,
    skip_current_language_in_message: config.skip_current_language_in_message ?? skip,
  }));

const PERMISSIONS: Record<ImportedPart["kind"], string> = {
  service: "services",
  tool: "tools",
  language_group: "language_groups",
  bridge_phrases: "bridge_phrases",
  custom_message: "custom_messages",
  prompt: "prompts",
};

type Languages = NonNullable<AgentFile["languages"]>;

type PartTable =
  | "services"
  | "tools"
  | "language_groups"
  | "bridge_phrases"
  | "custom_messages"
  | "prompts"
  | "agents";

type Named = {
  id: number;
  name: string;
  definition?: unknown;
  language_configs?: unknown;
  config?: unknown;
};

/** The record of this name; it can't be deleted or renamed before the transaction ends. */
async function named(tx: Tx, caller: Caller, table: PartTable, name: string): Promise<Named[]> {
  return (
    tx
      // The columns named below are those that all of the tables have.
      .selectFrom(table as "tools")
      .selectAll()
      .where("sub_organization_id", "=", caller.sub_organization_id)
      .where("name", "=", name)
      .where("deleted_at", "is", null)
      .forShare()
      .execute()
  );
}

const LONGEST_NAME = 255;

/** The name, or the first of "name 2", "name 3" … that nobody has. */
async function freeName(tx: Tx, caller: Caller, table: PartTable, name: string): Promise<string> {
  const base = cutTo(name, LONGEST_NAME - 6);
  const taken = await tx
    .selectFrom(table as "tools")
    .select("name")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`starts_with(name, ${base})`)
    .execute();
  const names = new Set(taken.map((row) => row.name));
  if (!names.has(name)) return name;
  let number = 2;
  while (names.has(`${base} ${number}`)) number++;
  return `${base} ${number}`;
}

/** Compared as what is stored of them: JSON, without keys that hold nothing. */
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(bare(one), bare(other));

const bare = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, each: unknown) => (each === null ? undefined : each)) ?? "null");

const differs = (index: number, name: string): InvalidInput =>
  invalid(
    ["body", "text", "tools", index, "name"],
    `There is a tool named ${name} already, and it is another one. Rename one of the two, in the file also where prompts and workflows call it.`,
  );

/** What is wrong with the input of a record is told at the record's place in the file. */
async function at<T>(path: (string | number)[], create: () => Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.issues.map((issue) => ({ ...issue, loc: ["body", "text", ...path, ...issue.loc.slice(1)] })),
    );
  }
}
