/** What the scripted model says or calls when no rule of a script answers: it fills the tools' forms by asking. */

import type { ModelMessage, ModelRequest, OfferedTool } from "../model.ts";
import { valueIn } from "./scripted-extract.ts";
import {
  argumentsOf,
  isCancellation,
  isFarewell,
  missingIn,
  optionsOf,
  readForm,
  type ScriptedForm,
} from "./scripted-form.ts";
import { HANGUP, type Occasion, occasionOf, today } from "./scripted-history.ts";
import { valueOfSchema } from "./scripted-output.ts";
import { type Parameter, parametersOf, questionFor } from "./scripted-parameters.ts";
import type { ScriptedAction } from "./scripted-rules.ts";
import { isStepResult } from "./scripted-step.ts";
import { stepInstructions, summaryOf } from "./scripted-summary.ts";
import { jsonText } from "./scripted-template.ts";
import { listed, readable } from "./scripted-words.ts";

export function walk(request: ModelRequest): ScriptedAction[] {
  const { messages, tools, tool_choice } = request;
  const form = readForm(messages, tools);
  if (typeof tool_choice === "object") return forcedCall(request, form, tool_choice.tool);
  const actions = freely(occasionOf(messages), form, request);
  if (tool_choice !== "required" || actions.some((action) => action.type === "call")) return actions;
  const tool = form.tool ?? tools.find(({ name }) => name !== HANGUP) ?? tools[0];
  return tool ? forcedCall(request, form, tool.name) : actions;
}

function freely(occasion: Occasion, form: ScriptedForm, request: ModelRequest): ScriptedAction[] {
  const next = nextAction(form, request);
  switch (occasion.type) {
    case "user":
      if (isFarewell(occasion.text)) return farewell(request.tools);
      if (isCancellation(occasion.text)) return [say("All right. Is there anything else?")];
      return next.length > 0 ? next : [say(smallTalk(occasion.text, request.tools))];
    case "results": {
      const said = wordsSinceResults(request.messages);
      const words = occasion.answers.map((answer) => summaryOf(answer, said)).filter((text) => text !== "");
      const step = occasion.answers.map(({ result }) => result).findLast(isStepResult);
      const asks = next.some((action) => action.type === "say");
      const instructions = step && !asks ? stepInstructions(step) : "";
      if (instructions !== "" && !said.includes(instructions)) words.push(instructions);
      // A step without inputs waits for the user, who has just been told what it is about.
      const actions = [...words.map(say), ...(step && !asks ? [] : next)];
      return actions.length > 0 ? actions : [say("Is there anything else?")];
    }
    case "silence":
      return [say("Are you still there?"), ...next.filter((action) => action.type === "say")];
    case "start":
      return next.length > 0 ? next : [say(`Hello. ${introduction(request.tools)}`)];
  }
}

/** The next question of the open form, or its call when nothing is missing; nothing when no form is open. */
function nextAction(form: ScriptedForm, request: ModelRequest): ScriptedAction[] {
  if (!form.tool) return [];
  const missing = missingIn(form);
  if (missing) {
    return [
      say(`${form.missed?.name === missing.name ? "I did not understand that. " : ""}${ask(form, missing)}`),
    ];
  }
  // Never twice in one turn, or a tool whose result opens its own form again would run for ever.
  if (calledThisTurn(request.messages, form.tool.name)) return [];
  return [{ type: "call", tool: form.tool.name, arguments: argumentsOf(form, form.tool) }];
}

/** The options are listed again when the answer to them was not understood. */
function ask(form: ScriptedForm, parameter: Parameter): string {
  const question = questionFor(parameter);
  const options = form.missed?.name === parameter.name ? optionsOf(form, parameter) : [];
  const labels = options.slice(0, 5).map((option, index) => `(${index + 1}) ${option.label}`);
  return labels.length > 0 ? `${question} I have ${listed(labels)}.` : question;
}

/** A call the engine insists on, with what is known; what is missing is made up from the conversation, as a model would. */
function forcedCall(request: ModelRequest, form: ScriptedForm, name: string): ScriptedAction[] {
  const tool = request.tools.find((offered) => offered.name === name);
  if (!tool) return [say(`I was told to use ${readable(name)}, but it is not offered to me.`)];
  const known = new Map<string, unknown>();
  const day = today(request.messages);
  for (const parameter of parametersOf(tool)) {
    for (const message of request.messages) {
      if (message.role !== "user") continue;
      const value = valueIn(parameter, { text: message.text, today: day, asked: false });
      if (value !== undefined) known.set(parameter.name, value);
    }
    if (form.given.has(parameter.name)) known.set(parameter.name, form.given.get(parameter.name));
    if (parameter.required && !known.has(parameter.name)) {
      known.set(parameter.name, valueOfSchema(parameter.schema, request.messages));
    }
  }
  return [{ type: "call", tool: name, arguments: Object.fromEntries(known) }];
}

function farewell(tools: OfferedTool[]): ScriptedAction[] {
  const hangup = tools.find((tool) => tool.name === HANGUP);
  if (!hangup) return [say("Goodbye.")];
  const reason = parametersOf(hangup).some(({ name }) => name === "reason");
  return [
    say("Goodbye."),
    { type: "call", tool: HANGUP, arguments: reason ? { reason: "The user said goodbye." } : {} },
  ];
}

function smallTalk(text: string, tools: OfferedTool[]): string {
  if (/^\W*(?:(?:ok|okay|great|fine)\W+)?(?:thanks|thank you)\b/i.test(text))
    return "You are welcome. Is there anything else?";
  if (/^\W*(?:hello|hi|hey|good (?:morning|afternoon|evening|day))\b/i.test(text)) {
    return `Hello. ${introduction(tools)}`;
  }
  return introduction(tools);
}

function introduction(tools: OfferedTool[]): string {
  const names = tools.filter(({ name }) => name !== HANGUP).map(({ name }) => readable(name));
  const able = names.length > 0 ? `I can help with: ${listed(names)}.` : "I have no tools to help with.";
  return `I am the scripted offline model. ${able}`;
}

function calledThisTurn(messages: readonly ModelMessage[], name: string): boolean {
  const from = messages.findLastIndex((message) => message.role === "user");
  return messages
    .slice(from + 1)
    .some((message) => message.role === "assistant" && message.calls.some((call) => call.name === name));
}

/** What the agent has spoken since the last tool answered. */
function wordsSinceResults(messages: readonly ModelMessage[]): string {
  const from = messages.findLastIndex((message) => message.role === "tool");
  return messages
    .slice(from + 1)
    .flatMap((message) => (message.role === "assistant" ? [message.text] : []))
    .join("\n");
}

/** An answer of the wanted schema; JSON, as a model would write it. */
export const structuredAnswer = (request: ModelRequest): ScriptedAction[] =>
  request.output_schema ? [say(jsonText(valueOfSchema(request.output_schema.schema, request.messages)))] : [];

const say = (text: string): ScriptedAction => ({ type: "say", text });
