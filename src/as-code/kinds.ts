import type { z } from "zod";
import type { OperationId, ParleyClient } from "../../sdk/typescript/client.ts";
import { each } from "../../sdk/typescript/each.ts";
import { AgentCreate } from "../agents/agent-input.ts";
import { BridgePhrasesCreateRequest } from "../agents/bridge-phrases.ts";
import { CustomMessageCreateRequest } from "../agents/custom-message.ts";
import { VoiceGroupCreateRequest } from "../agents/language-group.ts";
import { PromptCreateRequest } from "../agents/prompt.ts";
import { DirectoryMemberCreate } from "../directory/directory-schema.ts";
import { TestSuiteInput } from "../evaluations/test-case.ts";
import { DataSourceCreateRequest } from "../knowledge/data-source.ts";
import { ServiceCreateRequest } from "../tools/service.ts";
import { SYSTEM_SERVICE, SYSTEM_TOOLS } from "../tools/system-tools.ts";
import { ToolCreateRequest } from "../tools/tool.ts";

/** A record of any kind, as a file or as the API has it. */
// biome-ignore lint/suspicious/noExplicitAny: each kind's schema says what it is
export type Fields = Record<string, any>;

export type KindName =
  | "services"
  | "data_sources"
  | "tools"
  | "language_groups"
  | "bridge_phrases"
  | "custom_messages"
  | "directory_members"
  | "prompts"
  | "agents"
  | "test_suites";

/** A field of a file that names a record, and the field of the API that has its number; `required` says what to write. */
type Reference = { field: string; kind: KindName; id: string; required?: string };

export type Kind = {
  name: KindName;
  /** Of a file, without the references. */
  schema: z.ZodObject;
  references: Reference[];
  /** Fields that hold names of other records, which the API takes as they are. */
  mentions: { field: string; kind: KindName }[];
  /** What a file leaves to the organization by not saying it. */
  keptIfAbsent: string[];
  /** A map of texts that are secret: exported as references to the environment. */
  secrets?: string;
  keyOf(fields: Fields): string;
  /** Every record, complete. */
  list(parley: ParleyClient): Promise<Fields[]>;
  /** What comes with the program and is in no folder. */
  isBuiltIn?(record: Fields): boolean;
  create(parley: ParleyClient, body: Fields): Promise<number>;
  update(parley: ParleyClient, id: number, body: Fields): Promise<void>;
  remove(parley: ParleyClient, record: Fields): Promise<void>;
};

const PAGE = 250;
const REASON = "Not in the folder that was applied";

type AnyCall = (input?: object) => Promise<Fields>;
const callOf = (parley: ParleyClient, id: OperationId): AnyCall => parley[id] as never;

async function all(parley: ParleyClient, id: OperationId, query: object = {}): Promise<Fields[]> {
  const records: Fields[] = [];
  const page = (of: object) => callOf(parley, id)({ query: { ...of, ...query } }) as Promise<never>;
  for await (const record of each<Fields>(page, PAGE)) records.push(record);
  return records;
}

/** Lists leave out what is long; a few of them are read at a time. */
async function detailed(
  records: Fields[],
  read: (record: Fields) => Promise<Fields>,
  isWanted: (record: Fields) => boolean = () => true,
): Promise<Fields[]> {
  const found = [...records];
  const waiting = found.keys();
  const work = async () => {
    for (const at of waiting) if (isWanted(found[at] as Fields)) found[at] = await read(found[at] as Fields);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return found;
}

/** `agent` where there are `create_agent`, `update_agent` and `delete_agent`. */
type Written<One extends string> = `${"create" | "update" | "delete"}_${One}` extends OperationId
  ? One
  : never;
type Listed<Many extends string> = `list_${Many}` extends OperationId ? Many : never;

/** The operations of a plain record. */
const plain = <One extends string, Many extends string>(
  one: Written<One>,
  many: Listed<Many>,
  id_name: string,
) => ({
  list: (parley: ParleyClient) => all(parley, `list_${many}` as OperationId),
  create: async (parley: ParleyClient, body: Fields): Promise<number> =>
    (await callOf(parley, `create_${one}` as OperationId)({ body })).id,
  async update(parley: ParleyClient, id: number, body: Fields): Promise<void> {
    await callOf(parley, `update_${one}` as OperationId)({ body: { ...body, id } });
  },
  async remove(parley: ParleyClient, { id }: Fields): Promise<void> {
    const input = { path: { [id_name]: id }, query: { reason: REASON } };
    await callOf(parley, `delete_${one}` as OperationId)(input);
  },
});

const named = { references: [], mentions: [], keptIfAbsent: [], keyOf: ({ name }: Fields) => String(name) };

/** What a folder holds, in the order in which it is created: what others name comes first. */
export const KINDS: readonly Kind[] = [
  {
    ...named,
    ...plain("service", "services", "service_id"),
    name: "services",
    schema: ServiceCreateRequest,
    // Settled by the first tool where nobody says them.
    keptIfAbsent: ["allowed_hosts", "mcp_url"],
    secrets: "auth_values",
    isBuiltIn: ({ name }) => name === SYSTEM_SERVICE,
    list: async (parley) =>
      detailed(
        await all(parley, "list_services"),
        ({ id }) => callOf(parley, "get_service")({ path: { service_id: id } }),
        ({ auth_type }) => auth_type === "oauth2",
      ),
  },
  {
    ...named,
    ...plain("data_source", "data_sources", "data_source_id"),
    name: "data_sources",
    schema: DataSourceCreateRequest,
    list: async (parley) =>
      detailed(await all(parley, "list_data_sources"), ({ id }) =>
        callOf(parley, "get_data_source")({ path: { data_source_id: id } }),
      ),
  },
  {
    ...named,
    ...plain("tool", "tools", "tool_id"),
    name: "tools",
    schema: ToolCreateRequest.omit({ service_id: true }),
    references: [
      {
        field: "service",
        kind: "services",
        id: "service_id",
        required:
          "Name the tool's service. A tool that calls nothing, such as a workflow, takes any of yours.",
      },
    ],
    isBuiltIn: ({ name }) => SYSTEM_TOOLS.some((tool) => tool.name === name),
    async remove(parley, { name }) {
      await parley.delete_tool({ path: { tool_name: name }, query: { reason: REASON } });
    },
  },
  {
    ...named,
    ...plain("voice_group", "voice_groups", "voice_group_id"),
    name: "language_groups",
    schema: VoiceGroupCreateRequest,
    keptIfAbsent: ["skip_current_language_in_message"],
  },
  {
    ...named,
    ...plain("bridge_phrase", "bridge_phrases", "bridge_phrases_id"),
    name: "bridge_phrases",
    schema: BridgePhrasesCreateRequest,
  },
  {
    ...named,
    ...plain("custom_message", "custom_messages", "custom_message_id"),
    name: "custom_messages",
    schema: CustomMessageCreateRequest,
    keptIfAbsent: ["repeat_after_language_change"],
  },
  {
    ...named,
    ...plain("directory_member", "directory_members", "member_id"),
    name: "directory_members",
    schema: DirectoryMemberCreate.omit({ comments: true }),
    keyOf: ({ name, type }) => `${type}/${name}`,
    list: (parley) => all(parley, "list_directory_members", { response_format: "raw" }),
    async update(parley, id, body) {
      await callOf(parley, "update_directory_member")({ path: { member_id: id }, body: { ...body, id } });
    },
  },
  {
    ...named,
    ...plain("prompt", "prompts", "prompt_id"),
    name: "prompts",
    schema: PromptCreateRequest.omit({
      session_end_tool_id: true,
      edit_comments: true,
      include_default_tools: true,
    }).extend({ type: PromptCreateRequest.shape.type.default("prompt_v1") }),
    references: [{ field: "session_end_tool", kind: "tools", id: "session_end_tool_id" }],
    mentions: [{ field: "tools", kind: "tools" }],
    create: (parley, body) => plainPrompt.create(parley, { ...body, include_default_tools: false }),
    update: (parley, id, body) => plainPrompt.update(parley, id, { ...body, include_default_tools: false }),
  },
  {
    ...named,
    ...plain("agent", "agents", "agent_id"),
    name: "agents",
    schema: AgentCreate.omit({
      label: true,
      prompt_id: true,
      custom_message_id: true,
      language_group_id: true,
      bridge_phrases_id: true,
    }).extend({
      type: AgentCreate.shape.type.default("ca_v1"),
      variables: AgentCreate.shape.variables.default({}),
      tool_headers: AgentCreate.shape.tool_headers.default(null),
    }),
    references: [
      { field: "prompt", kind: "prompts", id: "prompt_id", required: "Name the agent's prompt." },
      { field: "greeting", kind: "custom_messages", id: "custom_message_id" },
      { field: "language_group", kind: "language_groups", id: "language_group_id" },
      { field: "bridge_phrases", kind: "bridge_phrases", id: "bridge_phrases_id" },
    ],
    secrets: "tool_headers",
  },
  {
    ...named,
    ...plain("test_suite", "test_suites", "suite_id"),
    name: "test_suites",
    schema: TestSuiteInput,
    mentions: [{ field: "agent", kind: "agents" }],
    list: async (parley) =>
      detailed(await all(parley, "list_test_suites"), ({ id }) =>
        callOf(parley, "get_test_suite")({ path: { suite_id: id } }),
      ),
  },
];

const plainPrompt = plain("prompt", "prompts", "prompt_id");

/** The fields of a kind's files, in the order in which they are written. */
export const fieldsOf = (kind: Kind): string[] => {
  const [first = "name", ...others] = Object.keys(kind.schema.shape);
  return [first, ...kind.references.map(({ field }) => field), ...others];
};
