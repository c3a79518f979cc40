import { z } from "zod";
import { placesIn, readYaml, shownPath } from "../api/input/yaml-file.ts";
import { errorText } from "../base/errors.ts";
import { isRecord } from "../expressions/member.ts";
import { ElevenLabsAgent, elevenLabsName, readElevenLabs } from "./elevenlabs.ts";
import { elevenLabsElsewhere, retellElsewhere, vapiElsewhere } from "./elsewhere.ts";
import {
  type ForeignFormat,
  type ImportDraft,
  type ImportPlan,
  type ImportTools,
  planImport,
} from "./import-draft.ts";
import { readRetell, retellName, retellSchema } from "./retell.ts";
import { readVapi, VapiAssistant, vapiName } from "./vapi.ts";

export const PLATFORMS = ["vapi", "retell", "elevenlabs"] as const;
export type ForeignPlatform = (typeof PLATFORMS)[number];

type PlannedImport = { ok: true; plan: ImportPlan } | { ok: false; faults: string[] };

type PlatformReader = {
  title: string;
  /** What shows that a file is of this platform. */
  isOne(file: Record<string, unknown>): boolean;
  /** A sentence, where it is of the platform and still can't be read. */
  refusal(file: Record<string, unknown>): string | null;
  plan(input: Record<string, unknown>, today: string): { plan: ImportPlan } | { schema: z.ZodType };
};

/** Deeper than any platform's export; what reads it calls itself for each level. */
const DEEPEST = 60;

const readerOf = <File>(
  given: Omit<PlatformReader, "plan"> & {
    schema: (file: Record<string, unknown>) => z.ZodType<File>;
    read: (file: File, tools: ImportTools, today: string) => ImportDraft;
  } & ForeignFormat,
): PlatformReader => ({
  title: given.title,
  isOne: given.isOne,
  refusal: given.refusal,
  plan(input, today) {
    const schema = given.schema(input);
    const parsed = schema.safeParse(input);
    if (!parsed.success) return { schema };
    return {
      plan: planImport(given, input, today, (tools) => given.read(parsed.data, tools, today)),
    };
  },
});

const has = (file: Record<string, unknown>, ...names: string[]): boolean =>
  names.some((name) => Object.hasOwn(file, name));

const READERS: Record<ForeignPlatform, PlatformReader> = {
  vapi: readerOf({
    title: "Vapi",
    schema: () => VapiAssistant,
    names: vapiName,
    elsewhere: vapiElsewhere,
    read: readVapi,
    isOne: (file) =>
      (isRecord(file.model) && has(file.model, "provider", "messages")) ||
      has(file, "firstMessage", "transcriber", "members", "orgId"),
    refusal(file) {
      if (has(file, "members")) return "This is a squad. Import its assistants one by one.";
      if (has(file, "nodes", "edges")) return "This is a workflow of Vapi. Only assistants can be imported.";
      if (!isRecord(file.model)) return "The assistant has no model. Export it with GET /assistant/{id}.";
      return has(file.model, "functions", "systemPrompt")
        ? "This is an assistant of an older version of Vapi's API (model.functions, model.systemPrompt). Export it again with GET /assistant/{id}."
        : null;
    },
  }),
  retell: readerOf({
    title: "Retell",
    schema: retellSchema,
    names: retellName,
    elsewhere: retellElsewhere,
    read: readRetell,
    isOne: (file) =>
      has(file, "general_prompt", "llm_id", "response_engine", "retellLlmData", "conversation_flow_id") ||
      (isRecord(file.llm) && isRecord(file.agent)),
    refusal(file) {
      const agent = isRecord(file.agent) ? file.agent : file;
      const engine = isRecord(agent.response_engine) ? agent.response_engine.type : undefined;
      if (has(file, "conversation_flow_id", "conversationFlow") || engine === "conversation-flow")
        return "This agent is a conversation flow. Only agents with a Retell LLM can be imported.";
      if (engine === "custom-llm")
        return "This agent's words come from a server of yours (custom-llm): there is no prompt to import.";
      return has(file, "response_engine") && !has(file, "retellLlmData")
        ? "The file has the agent without its Retell LLM. Put both into one file: jq -n --slurpfile a agent.json --slurpfile l llm.json '{agent: $a[0], llm: $l[0]}' > both.json"
        : null;
    },
  }),
  elevenlabs: readerOf({
    title: "ElevenLabs",
    schema: () => ElevenLabsAgent,
    names: elevenLabsName,
    elsewhere: elevenLabsElsewhere,
    read: readElevenLabs,
    isOne: (file) => has(file, "conversation_config"),
    refusal: () => null,
  }),
};

/** What becomes of an agent of another platform, or sentences why it can't be read. Pure. */
export function readImport(platform: ForeignPlatform, text: string, today: string): PlannedImport {
  const refused = (sentence: string): PlannedImport => ({ ok: false, faults: [sentence] });
  let input: unknown;
  try {
    input = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return refused(notJson(text, errorText(error)));
  }
  const reader = READERS[platform];
  if (!isRecord(input)) return refused(`An agent of ${reader.title} is a JSON object.`);
  if (isTooDeep(input, DEEPEST)) return refused("The file is nested too deep to be an agent.");
  const file = input;
  if (!reader.isOne(file)) {
    if (file.format === "parley-agent-1")
      return refused("This is an agent of Parley. Import it in the console: Agents, Import a file.");
    const other = PLATFORMS.find((each) => READERS[each].isOne(file));
    return refused(
      other
        ? `This is an agent of ${READERS[other].title}: ./parley import ${other} FILE`
        : `This is no agent of ${reader.title}, as its API answers one.`,
    );
  }
  const refusal = reader.refusal(file);
  if (refusal !== null) return refused(refusal);
  const planned = reader.plan(input, today);
  if ("plan" in planned) return { ok: true, plan: planned.plan };
  const faults = readYaml(text, planned.schema);
  if (faults.ok) return refused(`This is no agent of ${reader.title}, as its API answers one.`);
  const placeOf = placesIn(text);
  return {
    ok: false,
    faults: faults.faults.map(({ path, message }) => {
      const { line, column } = placeOf(path);
      return `Line ${line}, column ${column}: ${path.length > 0 ? `${shownPath(path)}: ` : ""}${message}`;
    }),
  };
}

/** What a parser says may quote the file, which may hold credentials: only the place is told. */
function notJson(text: string, message: string): string {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line !== undefined) return `Line ${line}, column ${column}: This is not JSON.`;
  const read = readYaml(text, z.unknown());
  const [fault] = read.ok ? [] : read.faults;
  if (fault) return `Line ${fault.line}, column ${fault.column}: This is not JSON.`;
  return "This is not JSON. An export of the platform's API is.";
}

const isTooDeep = (value: unknown, left: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1)));
