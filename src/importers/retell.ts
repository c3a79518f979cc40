import { z } from "zod";
import { UPLOAD_DOCUMENTS } from "./elsewhere.ts";
import type { BuiltInNames } from "./foreign-text.ts";
import type { ImportDraft, ImportTools } from "./import-draft.ts";
import { chooseModel } from "./model-choice.ts";
import type { FieldPath } from "./report.ts";
import { RetellState, retellStates } from "./retell-states.ts";
import { RetellTool, retellTool } from "./retell-tools.ts";
import { chooseSpeech } from "./voice-choice.ts";

/*
 * A Retell LLM (GET /get-retell-llm/{llm_id}) alone, or with the agent that speaks for it (GET /get-agent/{agent_id}) as
 * `{"agent": …, "llm": …}`, or the agent with `retellLlmData`.
 */

const text = () => z.string().nullish();

const RetellLlm = z.looseObject({
  general_prompt: text(),
  begin_message: text(),
  start_speaker: z.enum(["user", "agent"]).nullish(),
  model: text(),
  s2s_model: text(),
  model_temperature: z.number().nullish(),
  general_tools: z.array(RetellTool).nullish(),
  states: z.array(RetellState).nullish(),
  starting_state: text(),
  default_dynamic_variables: z.record(z.string(), z.unknown()).nullish(),
  knowledge_base_ids: z.array(z.string()).nullish(),
});
const RetellAgent = z.looseObject({
  agent_name: text(),
  voice_id: text(),
  voice_speed: z.number().nullish(),
  language: z.union([z.string(), z.array(z.string())]).nullish(),
  timezone: text(),
});

const RetellPair = z.looseObject({ agent: RetellAgent, llm: RetellLlm });
const RetellExport = RetellAgent.extend({ retellLlmData: RetellLlm });

/** By what the file has, so that a fault in it is told, and it is not taken for another shape. */
export function retellSchema(file: Record<string, unknown>): z.ZodType<RetellFile> {
  if (Object.hasOwn(file, "agent") && Object.hasOwn(file, "llm")) return RetellPair;
  return Object.hasOwn(file, "retellLlmData") ? RetellExport : RetellLlm;
}
type RetellFile = z.infer<typeof RetellPair> | z.infer<typeof RetellExport> | z.infer<typeof RetellLlm>;

const NAMES: Record<string, string> = {
  current_time: "vars.session.datetime",
  current_calendar: "vars.session.date",
  user_number: "vars.session.source",
  agent_number: "vars.session.target",
  call_id: "vars.session.id",
};
export const retellName: BuiltInNames = (name) => {
  if (/^current_(?:time|hour|calendar)_/.test(name))
    return {
      name: "vars.session.datetime",
      but: "is the date and time in the agent's own time zone here: set that to the one in this name.",
    };
  if (name === "current_hour")
    return { name: "vars.session.datetime", but: "is the date and time here, not the hour alone." };
  return Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
};

type RetellParts = {
  llm: z.infer<typeof RetellLlm>;
  llm_path: FieldPath;
  agent: z.infer<typeof RetellAgent> | null;
  agent_path: FieldPath;
};

function partsOf(file: RetellFile): RetellParts {
  if ("llm" in file && "agent" in file)
    return {
      llm: file.llm as RetellParts["llm"],
      llm_path: ["llm"],
      agent: file.agent as RetellParts["agent"],
      agent_path: ["agent"],
    };
  if ("retellLlmData" in file)
    return {
      llm: file.retellLlmData as RetellParts["llm"],
      llm_path: ["retellLlmData"],
      agent: file as RetellParts["agent"],
      agent_path: [],
    };
  return { llm: file as RetellParts["llm"], llm_path: [], agent: null, agent_path: [] };
}

export function readRetell(file: RetellFile, tools: ImportTools, today: string): ImportDraft {
  const { llm, llm_path, agent, agent_path } = partsOf(file);
  const at = (...names: (string | number)[]): FieldPath => [...llm_path, ...names];
  const name = agent?.agent_name || "Agent from Retell";
  if (agent?.agent_name) tools.note([...agent_path, "agent_name"], "mapped", "The agent's name.");
  const prompt = llm.general_prompt
    ? [tools.text(llm.general_prompt, at("general_prompt"), "The prompt.")]
    : [];
  const made = (llm.general_tools ?? []).map((tool, index) => ({
    tool,
    made: retellTool(tool, at("general_tools", index), prompt, tools),
  }));
  const general = made.flatMap((each) => each.made ?? []);
  if (llm.states && llm.states.length > 0)
    retellStates(
      { agent_name: name, states: llm.states, starting_state: llm.starting_state ?? null, general },
      llm_path,
      prompt,
      tools,
    );
  if ((llm.knowledge_base_ids ?? []).length > 0)
    tools.note(at("knowledge_base_ids"), "no equivalent", `The file has no documents. ${UPLOAD_DOCUMENTS}`);
  if (llm.s2s_model)
    tools.note(at("s2s_model"), "no equivalent", "A model of text answers; hearing and speaking are apart.");
  const codes = typeof agent?.language === "string" ? [agent.language] : (agent?.language ?? []);
  const timezone = agent?.timezone ?? null;
  if (timezone !== null) tools.note([...agent_path, "timezone"], "mapped", "The agent's time zone.");
  return {
    name,
    labels: [],
    timezone,
    prompt,
    model: chooseModel(
      {
        provider: null,
        model: llm.model ?? "gpt-4.1",
        model_path: at("model"),
        temperature: llm.model_temperature ?? null,
        temperature_path: at("model_temperature"),
      },
      today,
      tools,
    ),
    ...opening(llm, at, tools),
    verbal_language_change: false,
    variables: tools.variables(llm.default_dynamic_variables ?? {}, at("default_dynamic_variables")),
    speech: chooseSpeech(
      codes.map((code, index) => ({
        code,
        path: Array.isArray(agent?.language)
          ? [...agent_path, "language", index]
          : [...agent_path, "language"],
      })),
      agent?.voice_id
        ? {
            provider: null,
            id: agent.voice_id,
            path: [...agent_path, "voice_id"],
            speed: agent.voice_speed ?? null,
            speed_path: [...agent_path, "voice_speed"],
          }
        : null,
      tools,
    ),
  };
}

function opening(
  { begin_message, start_speaker }: RetellParts["llm"],
  at: (...names: string[]) => FieldPath,
  tools: ImportTools,
) {
  const waits = start_speaker === "user" || begin_message === "";
  if (start_speaker) tools.note(at("start_speaker"), "mapped", "Who speaks first.");
  if (waits) {
    if (begin_message)
      tools.note(at("begin_message"), "no equivalent", "It is not said, as the agent waits for the user.");
    return { greeting: null, agent_initiated: false };
  }
  if (begin_message == null) return { greeting: null, agent_initiated: true };
  return {
    greeting: tools.text(begin_message, at("begin_message"), "The agent's greeting."),
    agent_initiated: false,
  };
}
