/**
 * Which tool's form is being filled, and what is known for it. Nothing is kept between calls: the conversation is read from
 * its beginning each time, and the agent's own questions in it tell what the user was answering.
 */
import type { ModelMessage, OfferedTool } from "../model.ts";
import { valueIn } from "./scripted-extract.ts";
import { HANGUP, isSilence, today } from "./scripted-history.ts";
import { isEmptyList, type Option, optionIn, optionNamed, optionsFor } from "./scripted-options.ts";
import {
  fitness,
  isFinder,
  type Offer,
  offerOf,
  type Parameter,
  questionFor,
} from "./scripted-parameters.ts";
import { isStepResult, stepCollected, stepErrors } from "./scripted-step.ts";
import { stem, stemsOf, wordsOf } from "./scripted-words.ts";

export type ScriptedForm = {
  tool: Offer | null;
  /** Comes after `tool`, which finds something for it: `book_appointment` waits for `find_slots`. */
  goal: Offer | null;
  given: Map<string, unknown>;
  /** The parameter the agent's last question was about. */
  asked: Parameter | null;
  /** The same, when the user's answer to it could not be used. */
  missed: Parameter | null;
  /** What the tools have answered since a form was last done or given up; ids are picked from it. */
  results: unknown[];
};

type FormReading = {
  form: ScriptedForm;
  tools: Offer[];
  questions: Question[];
  day: string | null;
  called: string | null;
  /** What the user has said since a form was last done or given up. */
  said: string[];
};
type Question = { tool: Offer; parameter: Parameter; text: string };

export function readForm(messages: readonly ModelMessage[], tools: OfferedTool[]): ScriptedForm {
  const reading: FormReading = {
    form: { tool: null, goal: null, given: new Map(), asked: null, missed: null, results: [] },
    tools: tools.filter((tool) => tool.name !== HANGUP).map(offerOf),
    questions: [],
    day: today(messages),
    called: null,
    said: [],
  };
  reading.questions = reading.tools.flatMap((tool) =>
    tool.parameters.map((parameter) => ({ tool, parameter, text: questionFor(parameter) })),
  );
  for (const message of messages) {
    if (message.role === "user") hear(reading, message.text);
    else if (message.role === "assistant") recall(reading, message);
    else if (message.role === "tool") learn(reading, message);
  }
  return reading.form;
}

/** Eight words at most: "I never got to say goodbye to the old kitchen before you came" is no farewell. */
export const isFarewell = (text: string): boolean =>
  wordsOf(text).length <= 8 &&
  /\b(?:good ?bye|bye|see you|that(?:['’]s| is| was| will be) all)\b/i.test(text);

export const isCancellation = (text: string): boolean =>
  /\b(?:never ?mind|forget it|cancel that|stop that)\b|^\W*(?:cancel|stop|no,? thanks?(?: you)?)\W*$/i.test(
    text,
  );

export const missingIn = (form: ScriptedForm): Parameter | null =>
  form.tool?.parameters.find(({ name, required }) => required && !form.given.has(name)) ?? null;

/** The arguments to call with: what is known of the tool's own parameters. */
export const argumentsOf = (form: ScriptedForm, tool: Offer): Record<string, unknown> =>
  Object.fromEntries(
    tool.parameters.flatMap(({ name }) => (form.given.has(name) ? [[name, form.given.get(name)]] : [])),
  );

export const optionsOf = (form: ScriptedForm, parameter: Parameter): Option[] =>
  parameter.kind.type === "reference" ? optionsFor(parameter.name, parameter.kind.noun, form.results) : [];

function hear(reading: FormReading, text: string): void {
  const { form } = reading;
  form.missed = null;
  if (isSilence(text)) return;
  if (isFarewell(text) || isCancellation(text)) {
    close(reading);
    return;
  }
  reading.said.push(text);
  if (!form.tool) begin(reading, text);
  const understood = fill(reading, text);
  if (form.asked && !form.given.has(form.asked.name)) {
    form.missed = form.asked;
    // Not an answer to the question, so perhaps another wish.
    if (!understood && begin(reading, text)) {
      form.missed = null;
      fill(reading, text);
    }
  }
  form.asked = null;
}

/** Opens the form of the tool that fits what was said best; false when none fits or it is open already. */
function begin(reading: FormReading, text: string): boolean {
  const { form, tools } = reading;
  const said = stemsOf(text);
  let wanted: Offer | null = null;
  // One word of the name or two of the description; less is chance.
  let best = 1;
  for (const tool of tools) {
    const score = fitness(tool, said);
    if (score > best) [wanted, best] = [tool, score];
  }
  if (!wanted || wanted === form.tool || wanted === form.goal) return false;
  const finder = finderFor(reading, wanted);
  form.tool = finder ?? wanted;
  form.goal = finder ? wanted : null;
  return true;
}

/** People don't know ids. When a tool needs one, and another can look such things up, that one comes first. */
function finderFor({ form, tools }: FormReading, wanted: Offer): Offer | null {
  for (const parameter of wanted.parameters) {
    const { kind, name, required } = parameter;
    if (kind.type !== "reference" || !required || form.given.has(name)) continue;
    if (optionsOf(form, parameter).length > 0) continue;
    const noun = stem(wordsOf(kind.noun).at(-1) ?? "");
    const finder = tools.find(
      (tool) =>
        tool !== wanted &&
        isFinder(tool.name) &&
        stemsOf(tool.name).has(noun) &&
        !tool.parameters.some((own) => own.name === name),
    );
    if (finder) return finder;
  }
  return null;
}

/** Takes from the text what the open forms want; true when there was anything. */
function fill({ form, day }: FormReading, text: string): boolean {
  let understood = false;
  const give = (name: string, value: unknown) => {
    if (value === undefined) return;
    form.given.set(name, value);
    understood = true;
  };
  const { asked } = form;
  if (asked) give(asked.name, answerTo(form, asked, text, day));
  // One date in a text is one date: it fills the first parameter that wants it, not every one.
  const taken = new Set(asked && form.given.has(asked.name) ? [asked.kind.type] : []);
  for (const tool of [form.tool, form.goal]) {
    for (const parameter of tool ? tool.parameters : []) {
      const { name, kind } = parameter;
      const known = form.given.has(name);
      if (name === asked?.name || (kind.type !== "choice" && taken.has(kind.type))) continue;
      // A free answer may hold any word, so what is known already is not overwritten by it.
      if (known && asked && (asked.kind.type === "text" || form.given.has(asked.name))) continue;
      const options = known ? [] : optionsOf(form, parameter);
      const value =
        options.length > 0
          ? optionNamed(options, text)
          : valueIn(parameter, { text, today: day, asked: false });
      if (value === undefined) continue;
      give(name, value);
      taken.add(kind.type);
    }
  }
  return understood;
}

function answerTo(form: ScriptedForm, parameter: Parameter, text: string, day: string | null): unknown {
  const options = optionsOf(form, parameter);
  if (options.length > 0) return optionIn(options, text);
  return valueIn(parameter, { text, today: day, asked: true });
}

function recall(reading: FormReading, message: Extract<ModelMessage, { role: "assistant" }>): void {
  const { form, questions } = reading;
  for (const call of message.calls) {
    if (form.tool?.name !== call.name) continue;
    reading.called = call.name;
    for (const [name, value] of Object.entries(call.arguments)) form.given.set(name, value);
  }
  if (message.text === "") return;
  const asked = questions.filter((question) => message.text.includes(question.text));
  const question = asked.find(({ tool }) => tool === form.tool) ?? asked[0];
  if (!question) {
    // Broken off. "Are you still" takes back no question before it, and who interrupts a list chooses from it.
    form.asked ??= choiceOf(form);
    return;
  }
  form.asked = question.parameter;
  if (question.tool !== form.tool) {
    form.tool = question.tool;
    form.goal = null;
  }
}

/** What is to be chosen next from things that a tool listed. */
function choiceOf(form: ScriptedForm): Parameter | null {
  const missing = missingIn(form);
  return missing && optionsOf(form, missing).length > 0 ? missing : null;
}

function learn(reading: FormReading, answer: Extract<ModelMessage, { role: "tool" }>): void {
  const { form, tools } = reading;
  form.results.push(answer.result);
  form.asked = null;
  const own = tools.find((tool) => tool.name === answer.tool_name);
  if (isStepResult(answer.result)) {
    // A refused submission leaves the step as it was: only what it complains of is asked again.
    if (answer.result.status !== "error") close(reading);
    form.tool = answer.result.status === "completed" ? null : (own ?? null);
    for (const [name, value] of stepCollected(answer.result)) form.given.set(name, value);
    for (const { input } of stepErrors(answer.result)) form.given.delete(input);
    return;
  }
  const called = reading.called === answer.tool_name;
  if (called) reading.called = null;
  else if (form.tool) return;
  if (called && form.tool && askAgain(form, form.tool, answer)) return;
  const next = answer.is_error ? null : (form.goal ?? choiceFrom(tools, answer));
  if (!next) {
    close(reading);
    return;
  }
  form.tool = next;
  form.goal = null;
  for (const parameter of next.parameters) {
    if (form.given.has(parameter.name)) continue;
    const value =
      optionsOf(form, parameter).find(({ sure }) => sure)?.value ?? mentionedOf(parameter, reading);
    if (value !== undefined) form.given.set(parameter.name, value);
  }
}

/**
 * Nothing was found, or what was chosen is gone: the form stays open without the values that led there. A failed call is
 * only tried again with another choice, since the same arguments would fail again.
 */
function askAgain(form: ScriptedForm, tool: Offer, answer: Extract<ModelMessage, { role: "tool" }>): boolean {
  const failed = answer.is_error ? "reference" : null;
  if (failed === null && !(isFinder(tool.name) && isEmptyList(answer.result))) return false;
  const doubtful = tool.parameters.filter(({ kind, required }) =>
    failed ? kind.type === failed : required && kind.type !== "choice",
  );
  for (const { name } of doubtful) form.given.delete(name);
  return doubtful.length > 0;
}

/** Who they are people say when it suits them ("I'm Ann Lee, and I need …"), which may be a form too early. */
function mentionedOf(parameter: Parameter, { said, day }: FormReading): unknown {
  if (!["text", "email", "phone"].includes(parameter.kind.type)) return undefined;
  return said
    .map((text) => valueIn(parameter, { text, today: day, asked: false }))
    .findLast((value) => value !== undefined);
}

/**
 * A list of things with ids invites the tool that takes such an id. Only a list: then the user chooses first, and nothing is
 * called that nobody wished for.
 */
function choiceFrom(tools: Offer[], answer: Extract<ModelMessage, { role: "tool" }>): Offer | null {
  const takes = ({ kind, name, required }: Parameter) =>
    required &&
    kind.type === "reference" &&
    optionsFor(name, kind.noun, [answer.result]).some(({ sure }) => !sure);
  return tools.find((tool) => tool.name !== answer.tool_name && tool.parameters.some(takes)) ?? null;
}

function close(reading: FormReading): void {
  const { form } = reading;
  form.tool = null;
  form.goal = null;
  form.asked = null;
  form.given.clear();
  form.results.length = 0;
  reading.said.length = 0;
}
