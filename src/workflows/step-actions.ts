import { unreachable } from "../base/errors.ts";
import { own } from "../expressions/member.ts";
import { ACTIONS_OF_EVENT, type TaskAction, type TaskEvent } from "../tools/task-action.ts";
import { isEmpty } from "../tools/tool-arguments.ts";
import { callArguments } from "./call-arguments.ts";
import { isGiven } from "./input-faults.ts";
import type { TaskRun } from "./task-run.ts";
import { type PathMembers, storable } from "./variable-path.ts";

type ActionOf<A extends TaskAction["action"]> = Extract<TaskAction, { action: A }>;

/** Runs one action of a hook. "calling": a tool runs now, and the hook goes on when its result is there. */
export function runAction(
  run: TaskRun,
  action: TaskAction,
  hook: TaskEvent,
  where: string,
): "done" | "calling" {
  // Saving refuses these; a definition that came in another way gets no more rights by it.
  if (!ACTIONS_OF_EVENT[hook].includes(action.action)) {
    run.note(`${action.action} is not an action of ${hook} and was skipped`);
    return "done";
  }
  if (!run.holds(action.if, where)) return "done";
  switch (action.action) {
    case "set":
      run.write(action.name, run.given(action), hook === "presubmit");
      return "done";
    case "inc":
      increment(run, action, hook);
      return "done";
    case "get":
    case "load":
      fill(run, action);
      return "done";
    case "save":
      save(run, action);
      return "done";
    case "say": {
      const text = run.render(action.text);
      if (action.role === "assistant") run.say(text);
      else if (text.trim() !== "") run.effects.push({ type: "hear", text });
      return "done";
    }
    case "call":
      return call(run, action);
    default:
      return unreachable(action);
  }
}

function increment(run: TaskRun, action: ActionOf<"inc">, hook: TaskEvent): void {
  const before = run.scope.lookup(action.name) ?? 0;
  if (typeof before !== "number") run.note(`"${action.name}" is not a number and counts as 0`);
  run.write(action.name, (typeof before === "number" ? before : 0) + action.by, hook === "presubmit");
}

/** Gives inputs their values before the model does: what the action says, else the variable of the input's name. */
function fill(run: TaskRun, action: ActionOf<"get" | "load">): void {
  for (const name of someInputs(run, action.inputs)) {
    if (!action.overwrite && !isEmpty(own(run.state.inputs, name))) continue;
    const given = run.given(action);
    const value = given === undefined ? (run.global(name) ?? own(run.state.local, name)) : given;
    if (isGiven(value)) run.write(`inputs.${name}`, value, true);
  }
}

/** Saves only inputs that the step declares and that have a value, so that saving never empties a variable. */
function save(run: TaskRun, action: ActionOf<"save">): void {
  const names = someInputs(run, action.inputs);
  const collected = names.filter((name) => own(run.state.inputs, name) !== undefined);
  if (action.name == null) {
    for (const name of collected) run.write(name, own(run.state.inputs, name));
  } else if (names.length === 1) {
    for (const name of collected) run.write(action.name, own(run.state.inputs, name));
  } else {
    run.write(action.name, Object.fromEntries(collected.map((name) => [name, own(run.state.inputs, name)])));
  }
}

function someInputs(run: TaskRun, wanted: string[] | null | undefined): string[] {
  const declared = run.inputs.map((input) => input.name);
  for (const name of wanted ?? []) if (!declared.includes(name)) run.note(`there is no input "${name}" here`);
  return wanted ? declared.filter((name) => wanted.includes(name)) : declared;
}

/**
 * Runs the tool at once when all its required arguments are known. Otherwise the model has to call it, with those known.
 */
function call(run: TaskRun, action: ActionOf<"call">): "done" | "calling" {
  const target = action.name === run.session.tool_name ? undefined : run.around.callable(action.name);
  if (!target) {
    rememberError(run, action.name, `There is no tool named ${action.name} to call.`);
    return "done";
  }
  const rendered = callArguments(run, action.arguments ?? {});
  const given = rendered && storable(rendered);
  if (!given) {
    rememberError(run, action.name, "The arguments are too large.");
    return "done";
  }
  const values = given.value as PathMembers;
  const missing = target.required.filter((name) => !isGiven(own(values, name)));
  const waits = action.wait === true && target.steps === true && run.session.task.type === "steps";
  const mode = waits ? "wait" : missing.length === 0 ? "inject" : "hint";
  run.tell("call", { tool: action.name, mode, missing });
  if (mode !== "hint") {
    run.update({ awaiting: true });
    run.effects.push({ type: "call", tool: action.name, arguments: values, ...(waits && { wait: true }) });
    return "calling";
  }
  const known = Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)));
  const pending = { tool: action.name, arguments: known, immediate: false };
  run.update({ pending_calls: [...run.state.pending_calls, pending] });
  return "done";
}

/** An injected call has answered. Nothing is saved of one that failed. */
export function captureResult(
  run: TaskRun,
  action: ActionOf<"call">,
  outcome: { result: unknown; error: string | null },
): void {
  run.update({ awaiting: false });
  if (outcome.error !== null) {
    rememberError(run, action.name, outcome.error, outcome.result);
    return;
  }
  const { last_call_error: _, ...local } = run.state.local;
  run.update({ local });
  for (const { from, to } of action.result?.save ?? []) {
    const value = run.valueOf(from, outcome.result);
    const scoped = /^(local|inputs|output|vars)\./.test(to);
    if (scoped || run.session.task.type === "event") {
      run.write(to, value);
      continue;
    }
    run.write(`local.${to}`, value);
    const name = to.split(".")[0] as string;
    if (!run.state.captured.includes(name)) run.update({ captured: [...run.state.captured, name] });
  }
}

/** A service's refusal is in the result, with status and body; without an answer both are null. */
function rememberError(run: TaskRun, tool: string, message: string, result: unknown = null): void {
  run.note(`the call of ${tool} failed: ${message}`);
  const error = own(result, "error");
  const [status, body] = [own(error, "status") ?? null, own(error, "body") ?? null];
  run.write("local.last_call_error", { tool, message, status, body });
}
