import type { PromptLlmConfig, PromptResponse } from "../api-types.ts";
import { type FieldLabels, labelsBelow } from "../server/field-labels.ts";

/** What of a prompt is edited. */
export type PromptValues = {
  name: string;
  description: string;
  context: string;
  tools: string[];
  llm_config: PromptLlmConfig;
  session_end_enabled: boolean;
  session_end_tool_id: number | null;
  edit_comments: string;
};

const NEW: PromptValues = {
  name: "",
  description: "",
  context: "",
  tools: ["hangup"],
  llm_config: {
    provider: "openai",
    model: "gpt-6-luna",
    version: null,
    api_version: null,
    temperature: null,
    seed: null,
  },
  session_end_enabled: false,
  session_end_tool_id: null,
  edit_comments: "",
};

export const promptValues = (prompt: PromptResponse | null): PromptValues =>
  prompt === null ? NEW : valuesOf(prompt);

const valuesOf = (prompt: PromptResponse): PromptValues => ({
  name: prompt.name,
  description: prompt.description ?? "",
  context: prompt.context ?? "",
  tools: prompt.tools,
  llm_config: prompt.llm_config,
  session_end_enabled: prompt.session_end_enabled,
  session_end_tool_id: prompt.session_end_tool_id ?? null,
  edit_comments: "",
});

/** What is sent of a prompt's values, on creating as on updating. */
export const promptBody = (values: PromptValues) => ({
  ...values,
  type: "prompt_v1",
  description: values.description || null,
  edit_comments: values.edit_comments || null,
  include_default_tools: false,
});

/** How the form calls the fields of the model. */
export const MODEL_LABELS: FieldLabels = {
  temperature: "Temperature",
  seed: "Seed",
  api_version: "API version",
};

export const PROMPT_LABELS: FieldLabels = {
  context: "Instructions",
  llm_config: "Model",
  ...labelsBelow("llm_config", MODEL_LABELS),
  session_end_enabled: "Run a tool after the session",
  session_end_tool_id: "End-of-session tool",
  edit_comments: "Version note",
};
