/** A tool's result in a sentence or two. */
import { HANGUP, isRecord, type ToolAnswer } from "./scripted-history.ts";
import { labelOf } from "./scripted-options.ts";
import { isFinder } from "./scripted-parameters.ts";
import { isStepResult, type StepResult, stepErrors, texts } from "./scripted-step.ts";
import { jsonText, spoken } from "./scripted-template.ts";
import { listed, readable, shortened } from "./scripted-words.ts";

/** What people still take in at a time. */
const LONGEST_LIST = 5;
const LONGEST_TEXT = 600;
/** Words that a tool or a workflow wants said as they are. */
const VERBATIM = ["say", "message", "text", "answer", "summary"];

/** `said` is what the agent has spoken since: the engine speaks a workflow's `say` itself, and nobody should hear it twice. */
export function summaryOf(answer: ToolAnswer, said: string): string {
  const { result } = answer;
  if (answer.tool_name === HANGUP && !answer.is_error) return said === "" ? "Goodbye." : "";
  if (isStepResult(result)) return stepSummary(result, said);
  const fault = answer.is_error ? result : isRecord(result) ? result.error : undefined;
  if (answer.is_error || (fault !== undefined && fault !== null && fault !== false)) {
    return `I am sorry, ${readable(answer.tool_name)} did not work${reason(fault)}.`;
  }
  if (typeof result === "string") return shortened(result, LONGEST_TEXT) || "Done.";
  if (Array.isArray(result)) return listSummary(result, "result");
  if (!isRecord(result))
    return result === null || result === undefined ? "Done." : `It is ${spoken(result)}.`;
  const verbatim = VERBATIM.flatMap((key) => texts(result[key]));
  if (verbatim.length > 0) return verbatim.filter((text) => !said.includes(text)).join(" ");
  const list = Object.entries(result).find(([, value]) => Array.isArray(value));
  if (list && isFinder(answer.tool_name)) return listSummary(list[1] as unknown[], readable(list[0]));
  const facts = Object.entries(result).filter(([, value]) => value !== null && typeof value !== "object");
  const text = facts.map(([key, value]) => `${sentence(readable(key))}: ${spoken(value)}.`).join(" ");
  return shortened(`Done. ${text}`, LONGEST_TEXT);
}

function reason(fault: unknown): string {
  const text = isRecord(fault) ? (fault.message ?? fault.detail ?? fault.error ?? fault) : fault;
  if (isRecord(text) && text !== fault) return reason(text);
  const words = shortened(typeof text === "string" ? text : jsonText(text), 200).replace(/[.\s]+$/, "");
  return words === "" || words === "true" ? "" : `: ${words}`;
}

function listSummary(items: unknown[], name: string): string {
  const things = items.length === 1 ? name.replace(/([^s])s$/, "$1") : name;
  if (items.length === 0) return `I found no ${name}.`;
  const labels = items.slice(0, LONGEST_LIST).map((item, index) => {
    const label = isRecord(item) ? labelOf(item, items) : shortened(spoken(item), 80);
    return items.length === 1 ? label : `(${index + 1}) ${label}`;
  });
  const more = items.length > LONGEST_LIST ? ` And ${items.length - LONGEST_LIST} more.` : "";
  return `I found ${items.length} ${things}: ${listed(labels)}.${more}`;
}

/** What the step wants spoken. Its instructions are meant for a model; they are read out only where `question` is missing. */
function stepSummary(result: StepResult, said: string): string {
  const faults = stepErrors(result).map((error) => `I am sorry: ${error.message}.`.replace("..", "."));
  const say = texts(result.say).filter((text) => !said.includes(text));
  const words = [...faults, ...say].join(" ");
  if (words !== "" || said !== "") return words;
  return result.status === "completed" ? "Thank you, that is all I need." : "";
}

/** For a step that has nothing left to ask. */
export const stepInstructions = (result: StepResult): string =>
  [
    ...texts(result.instructions),
    ...(texts(result.instructions).length === 0 ? texts(result.goal) : []),
  ].join(" ");

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
