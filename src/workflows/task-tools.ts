import type { SnapshotTool } from "../agents/snapshot.ts";
import { own } from "../expressions/member.ts";
import type { JsonSchema, OfferedTool } from "../llm/model.ts";
import { GO_TO_STEP } from "../tools/issues/task-issues.ts";
import type { InputParameter } from "../tools/task-definition.ts";
import { parameterDefaults } from "../tools/tool-definition.ts";
import { isGiven } from "./input-faults.ts";
import { isWaiting } from "./sub-workflow.ts";
import { TaskRun, type TaskSurroundings } from "./task-run.ts";
import type { SessionTask, TaskState } from "./workflow-state.ts";

/** A task with what it remembers. */
export type LiveTask = { task: SessionTask; state: TaskState };

/**
 * The tool that a task shows to the model now, null when it shows none. A steps task shows only its current step, and
 * before it is active only that it can be called; done, it is gone.
 */
export function taskTool({ task, state }: LiveTask, around: TaskSurroundings): OfferedTool | null {
  const name = task.tool_name;
  if (name === null || state.status === "completed" || isWaiting(state)) return null;
  const run = new TaskRun(task, state, around);
  const described = run.instruct(task.task.tool?.description ?? "");
  if (task.task.type === "event") return { name, description: described, parameters: parameters(run, []) };
  if (task.task.type === "expression") {
    return { name, description: described, parameters: parameters(run, task.task.inputs ?? []) };
  }
  const [first] = task.task.steps;
  if (!first) return null;
  if (state.status === "inactive") {
    return { name, description: described || run.instruct(first.goal), parameters: parameters(run, []) };
  }
  return {
    name,
    description: run.instruct(run.step?.goal ?? described),
    parameters: parameters(run, run.inputs),
  };
}

/** What is collected already need not be given again. */
function parameters(run: TaskRun, inputs: readonly InputParameter[]): JsonSchema {
  const required = inputs.filter((input) => input.required && !isGiven(own(run.state.inputs, input.name)));
  return {
    type: "object",
    properties: Object.fromEntries(inputs.map((input) => [input.name, inputSchema(run, input)])),
    required: required.map((input) => input.name),
  };
}

function inputSchema(run: TaskRun, input: InputParameter): JsonSchema {
  const { type, title, description, enum: choices, pattern, format, examples } = input;
  const schema = {
    type,
    title,
    description: description == null ? undefined : run.instruct(description),
    enum: choices?.length ? choicesOf(type, choices) : undefined,
    pattern,
    format,
    examples,
  };
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value != null));
}

/** A choice is a text; of an input that takes numbers it is offered as the number, which alone would fit. */
function choicesOf(type: InputParameter["type"], choices: string[]): unknown[] {
  if (type !== "integer" && type !== "number") return choices;
  const numbers = choices.map(Number);
  return numbers.every((number) =>
    type === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number),
  )
    ? numbers
    : choices;
}

/** Only while a current step allows it. */
export function goToStepTool(tasks: readonly LiveTask[]): OfferedTool | null {
  const steps = [...new Set(tasks.filter(allowsJumps).flatMap(({ task }) => stepIds(task)))];
  if (steps.length === 0) return null;
  return {
    name: GO_TO_STEP,
    description: "Goes to another step of the task, when the user wants to change or skip something.",
    parameters: {
      type: "object",
      properties: { step_id: { type: "string", enum: steps }, reason: { type: "string" } },
      required: ["step_id"],
    },
  };
}

/** The task that a jump is about: the first that allows it and has the step. */
export const jumpingTask = (tasks: readonly LiveTask[], step_id: unknown): LiveTask | undefined => {
  const open = tasks.filter(allowsJumps);
  return open.find(({ task }) => stepIds(task).some((id) => id === step_id)) ?? open[0];
};

const stepIds = ({ task }: SessionTask): string[] =>
  task.type === "steps" ? task.steps.map((step) => step.id) : [];

const currentStep = ({ task, state }: LiveTask) =>
  task.task.type === "steps" && state.status === "active"
    ? task.task.steps.find((step) => step.id === state.step)
    : undefined;

const allowsJumps = (live: LiveTask): boolean => currentStep(live)?.tools?.allowGoToStep === true;

/** The only tools of the current step besides the task's own; null when it takes all, or waits for another task. */
export const allowedBy = (live: LiveTask): ReadonlySet<string> | null => {
  const allow = isWaiting(live.state) ? null : currentStep(live)?.tools?.allow;
  return allow ? new Set(allow) : null;
};

/**
 * Whether the model may be offered a tool that workflows keep to themselves: while one of these is in a step that names it.
 * True for tools that none keeps.
 */
export function isReleased(name: string, tasks: readonly LiveTask[]): boolean {
  const keepers = tasks.filter(({ task }) => task.task.tools?.includes(name));
  return keepers.length === 0 || keepers.some((live) => allowedBy(live)?.has(name) === true);
}

/** Whether a task's `call` may use a tool: one that others keep to themselves it may not. */
export function mayCall(task: SessionTask, name: string, all: readonly SessionTask[]): boolean {
  const keepers = all.filter((other) => other.task.tools?.includes(name));
  return keepers.length === 0 || keepers.includes(task);
}

/** What a tool can't be called without: what its schema requires and neither defaults nor agents fill in. */
export function requiredOf({ definition }: Pick<SnapshotTool, "definition">): string[] {
  const schema = definition.tool.function.parameters as { required?: unknown } | null;
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const filled = new Set([
    ...(definition.static_parameters ?? []).map((parameter) => parameter.name),
    ...parameterDefaults(definition).flatMap(([name, rule]) =>
      rule.kind === "plain" || (rule.transform.action !== "remove" && !rule.transform.when) ? [name] : [],
    ),
  ]);
  return required.filter((name): name is string => typeof name === "string" && !filled.has(name));
}

/** The same of a task's own tool. A task that waits needs nothing to begin. */
export function requiredOfTask({ task, state }: LiveTask): string[] {
  const inputs = task.task.type === "expression" ? task.task.inputs : currentStep({ task, state })?.inputs;
  return (inputs ?? [])
    .filter((input) => input.required && !isGiven(own(state.inputs, input.name)))
    .map((input) => input.name);
}
