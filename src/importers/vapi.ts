import { z } from "zod";
import type { BuiltInNames } from "./foreign-text.ts";
import type { ImportDraft, ImportTools } from "./import-draft.ts";
import { chooseModel } from "./model-choice.ts";
import { withPlus } from "./transfers.ts";
import { type CalledServer, VapiServer, VapiTool, vapiTool } from "./vapi-tools.ts";
import { chooseSpeech } from "./voice-choice.ts";

/*
 * An assistant as Vapi's API answers it (GET /assistant/{id}). Fields that are not read here are kept by the schema, and
 * the report says that they have no equivalent.
 */

const text = () => z.string().nullish();

export const VapiAssistant = z.looseObject({
  name: text(),
  firstMessage: text(),
  firstMessageMode: text(),
  model: z.looseObject({
    provider: z.string(),
    model: z.string(),
    temperature: z.number().nullish(),
    messages: z.array(z.looseObject({ role: z.string(), content: text() })).nullish(),
    tools: z.array(VapiTool).nullish(),
    toolIds: z.array(z.string()).nullish(),
  }),
  voice: z.looseObject({ provider: text(), voiceId: text(), speed: z.number().nullish() }).nullish(),
  transcriber: z.looseObject({ provider: text(), model: text(), language: text() }).nullish(),
  server: VapiServer.nullish(),
  serverUrl: text(),
  serverUrlSecret: text(),
  endCallFunctionEnabled: z.boolean().nullish(),
  endCallMessage: text(),
  dialKeypadFunctionEnabled: z.boolean().nullish(),
  forwardingPhoneNumber: text(),
  voicemailMessage: text(),
  variableValues: z.record(z.string(), z.unknown()).nullish(),
});
type VapiAssistant = z.infer<typeof VapiAssistant>;

const NAMES: Record<string, string> = {
  now: "vars.session.datetime",
  date: "vars.session.date",
  "customer.number": "vars.session.source",
  "phoneNumber.number": "vars.session.target",
  "call.id": "vars.session.id",
};
export const vapiName: BuiltInNames = (name) => (Object.hasOwn(NAMES, name) ? NAMES[name] : undefined);

export function readVapi(assistant: VapiAssistant, tools: ImportTools, today: string): ImportDraft {
  const { model, voice, transcriber } = assistant;
  const name = assistant.name ?? "";
  if (name !== "") tools.note(["name"], "mapped", "The agent's name.");
  const prompt: string[] = [];
  for (const [index, { role, content }] of (model.messages ?? []).entries()) {
    const path = ["model", "messages", index];
    if (role !== "system" || content == null) {
      tools.note(path, "no equivalent", "A conversation begins with the prompt and the greeting only.");
      continue;
    }
    tools.note([...path, "role"], "mapped", "A system message is the prompt.");
    prompt.push(tools.text(content, [...path, "content"], "The prompt."));
  }
  const around = { server: serverOf(assistant), prompt };
  for (const [index, tool] of (model.tools ?? []).entries())
    vapiTool(tool, ["model", "tools", index], around, tools);
  if ((model.toolIds ?? []).length > 0)
    tools.note(
      ["model", "toolIds"],
      "no equivalent",
      "The file has the ids of these tools, not the tools. Put them into model.tools, as GET /tool/{id} answers them.",
    );
  settings(assistant, prompt, tools);
  tools.note(["model", "provider"], "mapped", "The provider of the model.");
  if (voice?.provider) {
    const isHere = /^(?:11labs|openai|cartesia|google)/.test(voice.provider);
    tools.note(
      ["voice", "provider"],
      isHere ? "mapped" : "approximated",
      isHere ? "The provider of the voice." : "Parley has no voices of this provider; another one speaks.",
    );
  }
  return {
    name,
    labels: [],
    timezone: null,
    prompt,
    model: chooseModel(
      {
        provider: model.provider,
        model: model.model,
        model_path: ["model", "model"],
        temperature: model.temperature ?? null,
        temperature_path: ["model", "temperature"],
      },
      today,
      tools,
    ),
    ...opening(assistant, tools),
    verbal_language_change: false,
    variables: tools.variables(assistant.variableValues ?? {}, ["variableValues"]),
    stt_provider: hearing(transcriber, tools),
    speech: chooseSpeech(
      transcriber?.language ? [{ code: transcriber.language, path: ["transcriber", "language"] }] : [],
      voice
        ? {
            provider: voice.provider ?? null,
            id: voice.voiceId ?? null,
            path: ["voice", "voiceId"],
            speed: voice.speed ?? null,
            speed_path: ["voice", "speed"],
          }
        : null,
      tools,
    ),
  };
}

/** The address that function tools without one of their own are called at. */
function serverOf({ server, serverUrl, serverUrlSecret }: VapiAssistant): CalledServer | null {
  if (server?.url) return { server, root: ["server"] };
  return serverUrl ? { server: { url: serverUrl, secret: serverUrlSecret }, root: [] } : null;
}

function opening({ firstMessage, firstMessageMode }: VapiAssistant, tools: ImportTools) {
  const mode = firstMessageMode ?? "assistant-speaks-first";
  const says = (fate: "mapped" | "approximated", sentence: string) => {
    if (firstMessageMode != null) tools.note(["firstMessageMode"], fate, sentence);
  };
  if (mode === "assistant-speaks-first-with-model-generated-message") {
    says("mapped", "The agent speaks first, with words of its model.");
    if (firstMessage)
      tools.note(["firstMessage"], "no equivalent", "It is not said, as the model writes the first message.");
    return { greeting: null, agent_initiated: true };
  }
  if (mode === "assistant-waits-for-user") {
    says("mapped", "Without a greeting the agent waits.");
    if (firstMessage)
      tools.note(["firstMessage"], "no equivalent", "It is not said, as the assistant waits for the user.");
    return { greeting: null, agent_initiated: false };
  }
  says("mapped", "The agent greets first.");
  if (!firstMessage) return { greeting: null, agent_initiated: false };
  if (/^https?:\/\/\S+$/.test(firstMessage)) {
    tools.note(["firstMessage"], "no equivalent", "A greeting is a text here, not a recording.");
    return { greeting: null, agent_initiated: true };
  }
  return {
    greeting: tools.text(firstMessage, ["firstMessage"], "The agent's greeting."),
    agent_initiated: false,
  };
}

function settings(assistant: VapiAssistant, prompt: string[], tools: ImportTools): void {
  const { toolbox } = tools;
  if (assistant.endCallFunctionEnabled)
    toolbox.builtIn("hangup", ["endCallFunctionEnabled"], "The built-in tool hangup.");
  else if (assistant.endCallFunctionEnabled === false)
    tools.note(["endCallFunctionEnabled"], "mapped", "The agent is not offered hangup for this.");
  if (assistant.dialKeypadFunctionEnabled === false)
    tools.note(["dialKeypadFunctionEnabled"], "mapped", "The agent is not offered send_dtmf for this.");
  if (assistant.dialKeypadFunctionEnabled)
    toolbox.builtIn("send_dtmf", ["dialKeypadFunctionEnabled"], "The built-in tool send_dtmf.");
  if (assistant.endCallMessage) {
    const said = tools.text(assistant.endCallMessage, ["endCallMessage"], "A line of the prompt.");
    tools.note(["endCallMessage"], "approximated", "The model says it, perhaps in other words.");
    prompt.push(`Before you end the call, say: ${said}`);
  }
  if (assistant.voicemailMessage) {
    toolbox.builtIn("leave_voicemail", ["voicemailMessage"], "The built-in tool leave_voicemail.");
    const said = tools.text(assistant.voicemailMessage, ["voicemailMessage"], "A line of the prompt.");
    tools.note(["voicemailMessage"], "approximated", "The model decides that a voicemail answered.");
    prompt.push(`When a voicemail answers, leave this message: ${said}`);
  }
  if (assistant.forwardingPhoneNumber) {
    toolbox.builtIn("transfer", ["forwardingPhoneNumber"], "The built-in tool transfer.");
    tools.note(["forwardingPhoneNumber"], "approximated", "Add a directory member with this number.");
    const number = withPlus(assistant.forwardingPhoneNumber, ["forwardingPhoneNumber"], tools);
    tools.missing(["forwardingPhoneNumber"], number, "the number of a directory member");
    prompt.push(`Calls may be transferred to ${number}.`);
  }
}

function hearing(transcriber: VapiAssistant["transcriber"], tools: ImportTools): ImportDraft["stt_provider"] {
  const model = /^nova-?[23]/.exec(transcriber?.model ?? "")?.[0];
  if (transcriber?.provider !== "deepgram" || model === undefined) return null;
  tools.note(["transcriber", "provider"], "mapped", "Deepgram hears.");
  tools.note(["transcriber", "model"], "mapped", "The model that hears.");
  return model.endsWith("3") ? "Deepgram Nova 3" : "Deepgram Nova 2";
}
