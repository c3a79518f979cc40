import { z } from "zod";
import { ElevenLabsTool, elevenLabsTool, systemTool } from "./elevenlabs-tools.ts";
import { UPLOAD_DOCUMENTS } from "./elsewhere.ts";
import type { BuiltInNames } from "./foreign-text.ts";
import type { ImportDraft, ImportTools } from "./import-draft.ts";
import { chooseModel } from "./model-choice.ts";
import { chooseSpeech } from "./voice-choice.ts";

/** An agent as the API of ElevenLabs answers it (GET /v1/convai/agents/{agent_id}). */

const text = () => z.string().nullish();

export const ElevenLabsAgent = z.looseObject({
  name: text(),
  tags: z.array(z.string()).nullish(),
  conversation_config: z.looseObject({
    agent: z.looseObject({
      first_message: text(),
      language: text(),
      dynamic_variables: z
        .looseObject({ dynamic_variable_placeholders: z.record(z.string(), z.unknown()).nullish() })
        .nullish(),
      prompt: z.looseObject({
        prompt: text(),
        llm: text(),
        temperature: z.number().nullish(),
        timezone: text(),
        tools: z.array(ElevenLabsTool).nullish(),
        tool_ids: z.array(z.string()).nullish(),
        built_in_tools: z.record(z.string(), ElevenLabsTool.nullish()).nullish(),
        knowledge_base: z.array(z.unknown()).nullish(),
      }),
    }),
    tts: z.looseObject({ voice_id: text(), speed: z.number().nullish() }).nullish(),
    language_presets: z.record(z.string(), z.unknown()).nullish(),
  }),
});
type ElevenLabsAgent = z.infer<typeof ElevenLabsAgent>;

const NAMES: Record<string, string> = {
  system__caller_id: "vars.session.source",
  system__called_number: "vars.session.target",
  system__conversation_id: "vars.session.conversation_id",
  system__time: "vars.session.datetime",
  system__timezone: "vars.session.timezone",
};
export const elevenLabsName: BuiltInNames = (name) => {
  if (name === "system__time_utc")
    return { name: "vars.session.datetime", but: "is in the agent's own time zone here, not in UTC." };
  return Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
};

const CONFIG = "conversation_config";
const AGENT = [CONFIG, "agent"];
const PROMPT = [...AGENT, "prompt"];

export function readElevenLabs(file: ElevenLabsAgent, tools: ImportTools, today: string): ImportDraft {
  const { agent, tts, language_presets } = file.conversation_config;
  const { prompt: given } = agent;
  if (file.name) tools.note(["name"], "mapped", "The agent's name.");
  const labels = file.tags ?? [];
  if (labels.length > 0) tools.note(["tags"], "mapped", "The agent's labels.");
  const prompt = given.prompt ? [tools.text(given.prompt, [...PROMPT, "prompt"], "The prompt.")] : [];
  for (const [index, tool] of (given.tools ?? []).entries())
    elevenLabsTool(tool, [...PROMPT, "tools", index], prompt, tools);
  let changesLanguage = false;
  for (const [name, tool] of Object.entries(given.built_in_tools ?? {})) {
    if (!tool) continue;
    const made = systemTool(tool, name, [...PROMPT, "built_in_tools", name], prompt, tools);
    changesLanguage ||= made === "set_current_language";
  }
  const inline = (given.tools ?? []).length;
  if ((given.tool_ids ?? []).length > 0)
    tools.note(
      [...PROMPT, "tool_ids"],
      inline > 0 ? "mapped" : "no equivalent",
      inline > 0
        ? "The ids of the tools, which the file holds too."
        : "The file has the ids of these tools, not the tools. Put them into prompt.tools, as GET /v1/convai/tools/{tool_id} answers them in tool_config.",
    );
  if ((given.knowledge_base ?? []).length > 0)
    tools.note(
      [...PROMPT, "knowledge_base"],
      "no equivalent",
      `The file names documents and does not hold them. ${UPLOAD_DOCUMENTS}`,
    );
  if (given.timezone) tools.note([...PROMPT, "timezone"], "mapped", "The agent's time zone.");
  const presets = Object.entries(language_presets ?? {});
  for (const [code] of presets)
    tools.note(
      [CONFIG, "language_presets", code],
      "approximated",
      "The language alone: greeting, prompt and voice are the agent's.",
    );
  return {
    name: file.name ?? "",
    labels,
    timezone: given.timezone ?? null,
    prompt,
    model: chooseModel(
      {
        provider: null,
        model: given.llm ?? "gemini-2.5-flash",
        model_path: [...PROMPT, "llm"],
        temperature: given.temperature ?? null,
        temperature_path: [...PROMPT, "temperature"],
      },
      today,
      tools,
    ),
    greeting: agent.first_message
      ? tools.text(agent.first_message, [...AGENT, "first_message"], "The agent's greeting.")
      : null,
    agent_initiated: false,
    verbal_language_change: changesLanguage,
    variables: tools.variables(agent.dynamic_variables?.dynamic_variable_placeholders ?? {}, [
      ...AGENT,
      "dynamic_variables",
      "dynamic_variable_placeholders",
    ]),
    speech: chooseSpeech(
      [
        ...(agent.language ? [{ code: agent.language, path: [...AGENT, "language"] }] : []),
        ...presets.map(([code]) => ({ code, path: [CONFIG, "language_presets", code] })),
      ],
      tts?.voice_id
        ? {
            provider: "elevenlabs",
            id: tts.voice_id,
            path: [CONFIG, "tts", "voice_id"],
            speed: tts.speed ?? null,
            speed_path: [CONFIG, "tts", "speed"],
          }
        : null,
      tools,
    ),
  };
}
