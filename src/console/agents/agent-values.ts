import type { AgentResponse, AgentToolDefaultsInput, AgentUpdate } from "../api-types.ts";
import type { FieldLabels } from "../server/field-labels.ts";

/** The form's values of an agent; `label` and `languages` are deprecated names of `labels` and `language_group_id`. */
export type AgentValues = Omit<Required<AgentUpdate>, "id" | "label" | "languages">;

/** Of whoever makes an agent: it most likely talks with people who live by the same clock. */
export const CREATOR_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

const NEW: AgentValues = {
  name: "",
  description: "",
  labels: [],
  type: "ca_v1",
  prompt_id: 0,
  prompt_version_number: null,
  custom_message_id: null,
  language_group_id: null,
  bridge_phrases_id: null,
  timezone: CREATOR_ZONE,
  prompt_tool_defaults: [],
  variables: {},
  tool_headers: null,
  agent_initiated: false,
  stt_provider: null,
  wait_sound: null,
  enable_verbal_language_change: false,
};

/** The editable values of an agent; a new one gets the common defaults. */
export function agentValues(agent: AgentResponse | null): AgentValues {
  if (agent === null) return NEW;
  const own = Object.keys(NEW).map((name) => [
    name,
    agent[name as keyof AgentResponse] ?? NEW[name as keyof AgentValues],
  ]);
  return Object.fromEntries(own) as AgentValues;
}

/** What is sent of an agent's values; fields that the form doesn't show are sent as they are stored. */
export const agentBody = (values: AgentValues, stored: AgentResponse | null) => ({
  ...values,
  description: values.description || null,
  ...(stored && { label: stored.label ?? null, languages: stored.languages }),
});

export const AGENT_LABELS: FieldLabels = {
  prompt_version_number: "Version of the prompt",
  custom_message_id: "Greeting",
  language_group_id: "Languages and voices",
  bridge_phrases_id: "Bridge phrases",
  timezone: "Time zone",
  prompt_tool_defaults: "Tool settings",
  tool_headers: "Extra HTTP headers for tools",
  agent_initiated: "Let the model open the conversation",
  stt_provider: "Speech recognition",
  wait_sound: "Sound while thinking",
  enable_verbal_language_change: "Change language on request",
};

/** A tool setting as text for its field: a string as it is, anything else as JSON. */
export const settingText = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** An empty text unsets the value. A text that doesn't parse as its type is sent as it is, and the API refuses it. */
export function settingOf(text: string, type: string): unknown {
  if (text.trim() === "") return undefined;
  if (type === "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function toolSetting(defaults: AgentToolDefaultsInput[], tool: string, field: string): unknown {
  const own = defaults.find(({ tool_name }) => tool_name === tool);
  return own?.default_values.find(({ field_name }) => field_name === field)?.default_value;
}

/** The settings with one of them set, or removed where the value is undefined; the order is kept. */
export function withToolSetting(
  defaults: AgentToolDefaultsInput[],
  tool_name: string,
  field_name: string,
  default_value: unknown,
): AgentToolDefaultsInput[] {
  const entry = { field_name, default_value };
  const own = defaults.find((each) => each.tool_name === tool_name) ?? { tool_name, default_values: [] };
  const at = own.default_values.findIndex((each) => each.field_name === field_name);
  const default_values =
    default_value === undefined
      ? own.default_values.filter((each) => each.field_name !== field_name)
      : at < 0
        ? [...own.default_values, entry]
        : own.default_values.with(at, entry);
  const place = defaults.indexOf(own);
  const next =
    place < 0
      ? [...defaults, { tool_name, default_values }]
      : defaults.with(place, { tool_name, default_values });
  return next.filter((each) => each.default_values.length > 0);
}
