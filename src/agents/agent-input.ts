import { z } from "zod";
import { requestHeaders } from "../api/request-headers.ts";
import { boundedList, name, recordId, requiredJson, textMap } from "../api/schema.ts";
import { AgentSttProvider, AgentWaitSound } from "../speech/speech.ts";
import { canonicalTimezone } from "./timezone.ts";

export const AgentToolDefaults = z
  .object({
    tool_name: z.string(),
    default_values: boundedList(
      z
        .object({ field_name: z.string(), default_value: requiredJson() })
        .meta({ id: "AgentToolFieldDefault" }),
    ),
  })
  .meta({ id: "AgentToolDefaults" });

export const timezone = z.string().transform((text, context) => {
  const zone = canonicalTimezone(text);
  if (zone !== null) return zone;
  context.addIssue({
    code: "custom",
    message: "Input should be an IANA time zone, such as America/New_York",
  });
  return z.NEVER;
});

export const AgentCreate = z
  .object({
    name: name(),
    description: z.string().nullish(),
    label: z.string().nullish().meta({ deprecated: true, description: "Use labels." }),
    labels: boundedList(z.string()).nullish(),
    type: z.literal("ca_v1"),
    prompt_id: recordId(),
    prompt_version_number: recordId().nullish().describe("Null follows the latest version."),
    custom_message_id: recordId().nullish(),
    language_group_id: recordId().nullish(),
    bridge_phrases_id: recordId().nullish(),
    timezone,
    prompt_tool_defaults: z
      .array(AgentToolDefaults)
      .max(1_000)
      .default([])
      .describe("Values of tools' static parameters for this agent; they win over the tools' own."),
    languages: z
      .array(z.string())
      .max(1_000)
      .default([])
      .meta({ deprecated: true, description: "Use language_group_id." }),
    variables: textMap().describe("Context variables of every session."),
    tool_headers: requestHeaders()
      .nullable()
      .describe("Added to tool calls. Not encrypted: credentials belong to the tool's service."),
    agent_initiated: z.boolean().default(false).describe("The agent speaks first, after its message."),
    stt_provider: AgentSttProvider.nullish(),
    wait_sound: AgentWaitSound.nullish(),
    enable_verbal_language_change: z.boolean().default(false),
  })
  .meta({ id: "AgentCreate" });
export const AgentUpdate = AgentCreate.extend({ id: recordId() }).meta({ id: "AgentUpdate" });
export type AgentInput = z.infer<typeof AgentCreate>;
