import type { InputParameter } from "../tools/task-definition.ts";
import { isWaiting } from "./sub-workflow.ts";
import type { SessionTask, WorkflowsState } from "./workflow-state.ts";

/** What the conversation waits for, for whoever listens: it decides how long a silence ends an answer. */
export type AwaitedInput =
  | { kind: "free" }
  /** One of a few answers, yes and no among them. */
  | { kind: "choice"; choices: readonly string[] }
  /** Digits, letters or an address, dictated; `characters`: how many make it whole, null where that is open. */
  | { kind: "dictated"; characters: number | null };

export const FREE: AwaitedInput = { kind: "free" };

/** As a boolean is answered, in the languages that agents speak and a few more. */
const YES_OR_NO = [
  "yes,yeah,yep,correct,right,no,nope,sí,si,claro,oui,non,ja,nein,sim,não,да,нет,da,ne,ndiyo,hapana,vâng,không",
  "はい,いいえ,네,예,아니요,아니오,是,是的,不是,对,不,係,唔係,ใช่,ไม่ใช่,نعم,لا,بله,نه,हाँ,हां,नहीं,हो,होइन,હા,ના",
].flatMap((words) => words.split(","));
const DICTATED_FORMATS: ReadonlySet<string> = new Set(["email", "idn-email", "phone", "tel", "uri", "url"]);
/** A pattern of nothing but so many digits or letters: `^\d{10}$`, `[A-Z0-9]{6}`. */
const COUNTED = /^\^?(?:\\d|\[[\\dA-Za-z0-9-]+\])\{(\d{1,2})\}\$?$/;
const SPELLED = /\\d|\[0-9|\[A-Z|\[a-z/;

/** By the open step that lacks one input; where several are missing, people may say them in one sentence. Pure. */
export function awaitedInput(
  tasks: readonly SessionTask[],
  workflows: WorkflowsState | null | undefined,
): AwaitedInput {
  const missing = tasks.flatMap(({ key, task }) => {
    const state = workflows?.tasks[key];
    if (task.type !== "steps" || state?.status !== "active" || isWaiting(state)) return [];
    const step = task.steps.find(({ id }) => id === state.step);
    return (step?.inputs ?? []).filter(
      ({ name, required }) => required && !Object.hasOwn(state.inputs, name),
    );
  });
  const [only, ...others] = missing;
  return only && others.length === 0 ? kindOf(only) : FREE;
}

function kindOf({ type, enum: choices, format, pattern }: InputParameter): AwaitedInput {
  if (choices?.length)
    return { kind: "choice", choices: choices.map((choice) => choice.replaceAll("_", " ")) };
  if (type === "boolean") return { kind: "choice", choices: YES_OR_NO };
  const counted = COUNTED.exec(pattern ?? "")?.[1];
  if (counted !== undefined) return { kind: "dictated", characters: Number(counted) };
  const isSpelled = SPELLED.test(pattern ?? "") || DICTATED_FORMATS.has(format ?? "");
  return isSpelled ? { kind: "dictated", characters: null } : FREE;
}
