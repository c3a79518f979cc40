import { z } from "zod";
import type { Api } from "../api/server.ts";

/** The kinds of analysis this program can do; a configuration gives one of them its arguments. */
export const InsightToolDefinition = z
  .object({
    id: z.int(),
    name: z.string(),
    type: z.string(),
    description: z.string(),
    tool_parameters: z.unknown().describe("Each parameter and its type; `?` marks one that may be left out."),
    tool_result_set: z.unknown().describe("Each key of the result and its type."),
  })
  .meta({ id: "InsightToolDefinition" });
export type InsightToolDefinition = z.infer<typeof InsightToolDefinition> & { type: DefinitionType };

type DefinitionType = "llm" | "transcription" | "http" | "regex";

const TRANSCRIPTION = {
  type: "transcription",
  tool_parameters: {
    provider: "openai | deepgram | google?",
    model: "string?",
    language: "string?",
    diarize: "boolean?",
  },
  tool_result_set: { transcript: "array of {role, start_time, content}" },
} as const;

/**
 * Code, not rows: what a definition does is code too, and a second copy in the database could only drift from it. The ids
 * are in every configuration, so they never change.
 */
export const DEFINITIONS: readonly InsightToolDefinition[] = [
  {
    id: 1,
    name: "llm_tool",
    type: "llm",
    description:
      "Asks a language model about the transcript. The result has one key for each of the outputs; without outputs, `summary`.",
    tool_parameters: {
      prompt: "string",
      provider: "string?",
      model: "string?",
      temperature: "number?",
      seed: "integer?",
      outputs: "array of {name, type: boolean | string | integer | number | array, return_values?}?",
    },
    tool_result_set: { summary: "string" },
  },
  {
    id: 2,
    name: "transcribe",
    description: "Writes down what is said in a recording.",
    ...TRANSCRIPTION,
  },
  {
    id: 3,
    name: "deepgram_transcribe",
    description: "The same as transcribe, under the name that earlier configurations use.",
    ...TRANSCRIPTION,
  },
  {
    id: 4,
    name: "http_tool",
    type: "http",
    description:
      "Sends the transcript to a service. Every key of the JSON object it answers is a key of the result.",
    tool_parameters: {
      url: "string",
      method: "POST | PUT | PATCH?",
      headers: "object of strings?",
      service_id: "integer?",
    },
    tool_result_set: {},
  },
  {
    id: 5,
    name: "regex_tool",
    type: "regex",
    description: "Looks for a pattern (RE2) in what was said; the value is its first group, or all it found.",
    tool_parameters: { pattern: "string", field: "transcript | user | agent?" },
    tool_result_set: { matched: "boolean", value: "string" },
  },
];

export const LLM_TOOL_ID = 1;

export const definitionById = (id: number): InsightToolDefinition | null =>
  DEFINITIONS.find((definition) => definition.id === id) ?? null;

export function toolDefinitionRoutes(api: Api): void {
  api.get(
    "/api/v1/insights/tool-definitions",
    {
      summary: "List the kinds of insight tools",
      tag: "insights",
      permission: "insights_read",
      response: z.array(InsightToolDefinition),
    },
    () => DEFINITIONS,
  );
}
