import { stringify } from "yaml";
import { z } from "zod";
import { AgentCreate } from "../agents/agent-input.ts";
import { BridgePhrasesCreateRequest } from "../agents/bridge-phrases.ts";
import { CustomMessageCreateRequest } from "../agents/custom-message.ts";
import { VoiceGroupCreateRequest } from "../agents/language-group.ts";
import { PromptLlmConfig } from "../agents/prompt-llm.ts";
import { type ReadFile, readYamlInTurns } from "../api/input/yaml-file.ts";
import { boundedList, name } from "../api/schema.ts";
import { ToolDefinition } from "../tools/tool-definition.ts";

/** What reads it knows by this what to expect; another arrangement gets another number. */
const FORMAT = "parley-agent-1";

const FilePrompt = z
  .strictObject({
    name: name(),
    description: z.string().nullish(),
    context: z.string().nullish(),
    llm_config: PromptLlmConfig,
    tools: boundedList(z.string()).default([]).describe("Names, in the order the model sees them."),
    session_end_tool: z.string().nullish().describe("The name of the tool that runs after a session."),
  })
  .meta({ id: "AgentFilePrompt" });

const FileService = z
  .strictObject({ name: name(), description: z.string().default("") })
  .meta({ id: "AgentFileService" });

const FileTool = z
  .strictObject({ name: name(), service: z.string(), definition: ToolDefinition })
  .meta({ id: "AgentFileTool" });

/**
 * An agent and all it is made of, each by its name: what another organization, installation or version control can take.
 * Credentials, headers of tools and addresses are not in it.
 */
export const AgentFile = z
  .strictObject({
    format: z.literal(FORMAT),
    ...AgentCreate.pick({
      name: true,
      description: true,
      labels: true,
      timezone: true,
      variables: true,
      prompt_tool_defaults: true,
      agent_initiated: true,
      stt_provider: true,
      wait_sound: true,
      enable_verbal_language_change: true,
    }).shape,
    prompt: FilePrompt,
    greeting: CustomMessageCreateRequest.nullish(),
    languages: VoiceGroupCreateRequest.nullish(),
    bridge_phrases: BridgePhrasesCreateRequest.nullish(),
    services: boundedList(FileService).default([]),
    tools: boundedList(FileTool).default([]),
  })
  .meta({ id: "AgentFile" });
export type AgentFile = z.infer<typeof AgentFile>;

/** Reads an agent in YAML or JSON. */
export const readAgentFile = (text: string): Promise<ReadFile<AgentFile>> => readYamlInTurns(text, AgentFile);

/** The same agent as YAML, lines of prompts as they were written. What it doesn't say, reading it sets again. */
export const writeAgentFile = (file: z.input<typeof AgentFile>): string => {
  const { prompt, greeting } = file;
  const said = {
    ...file,
    format: FORMAT,
    prompt: withoutNothing({ ...prompt, llm_config: withoutNothing(prompt.llm_config) }),
    greeting: greeting ? withoutNothing(greeting) : null,
  };
  return stringify(withoutNothing(said), { lineWidth: 0 });
};

/** Without keys that say nothing: null or an empty list means the same as no key in these records. */
const withoutNothing = (record: object): object =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
