import { unreachable } from "../base/errors.ts";
import { own } from "../expressions/member.ts";
import { isRoutingStep } from "../tools/routing-step.ts";
import type { TaskAction } from "../tools/task-action.ts";
import type { Step } from "../tools/task-definition.ts";
import { isEmpty } from "../tools/tool-arguments.ts";
import { computeExpression } from "./expression-task.ts";
import { collected, inputFaults } from "./input-faults.ts";
import { captureResult, runAction } from "./step-actions.ts";
import { renderRefusal, renderStep } from "./step-render.ts";
import { type TaskOutcome, TaskRun, type TaskSurroundings } from "./task-run.ts";
import { type Unmet, unmet, unmetBeforeCalls } from "./unmet-requires.ts";
import type { PathMembers } from "./variable-path.ts";
import type { SessionTask, TaskState, WorkItem } from "./workflow-state.ts";

/*
 * The interpreter of context tasks: task, state and event in, state and effects out. It does nothing itself. Where an
 * action calls a tool it stops, with what is left to do in the state, and goes on at `called`: so a session can be stored
 * and continued at any of these points.
 *
 *   inactive ── activate ──> active ── no next step ──> completed
 *                             │  ▲
 *                             └──┘ submission: presubmit, validation, submit, next, enter
 */

export type WorkflowEvent =
  /** The session starts, or something calls a task that waits for it. */
  | { type: "activate" }
  /** The user's first words: the `start` hooks of expression and event tasks. */
  | { type: "start" }
  /** The model, or another task, calls the task's tool. */
  | { type: "submit"; arguments: PathMembers }
  | { type: "go_to_step"; step_id: unknown }
  /** The tool that the last effect asked for has answered. */
  | { type: "called"; result: unknown; error: string | null };

/** A step entered more often in one session is a loop that nobody leaves. */
export const MAX_VISITS = 25;

/** Routing steps passed in a row, without a submission between them. A person's workflow has a handful. */
export const MAX_ROUTED = 50;

export function runTask(
  session: SessionTask,
  state: TaskState,
  event: WorkflowEvent,
  around: TaskSurroundings,
): TaskOutcome {
  const run = new TaskRun(session, state, around);
  begin(run, event);
  while (!run.state.awaiting) {
    const [work, ...agenda] = run.state.agenda;
    if (!work) break;
    run.update({ agenda });
    perform(run, work);
  }
  return run.outcome();
}

/** Puts on the agenda what the event is about. */
function begin(run: TaskRun, event: WorkflowEvent) {
  const { state, session } = run;
  if (event.type === "called") return goOn(run, event);
  if (state.awaiting) {
    return run.reply(
      { status: "error", message: "The task is still busy; submit again afterwards." },
      "The task is busy.",
    );
  }
  run.update({ routed: 0 });
  switch (event.type) {
    case "activate":
      if (state.status !== "inactive") return;
      return plan(run, ...activation(run), ...(session.task.type === "steps" ? [REPLY] : []));
    case "start":
      return session.task.type === "steps" ? undefined : plan(run, hookOf("start", null));
    case "submit":
      return submit(run, event.arguments);
    case "go_to_step":
      return goTo(run, event.step_id);
    default:
      return unreachable(event);
  }
}

const REPLY: WorkItem = { do: "reply" };
const hookOf = (hook: "start" | "enter" | "submit", of: string | null): WorkItem => ({
  do: "hook",
  hook,
  of,
  at: 0,
});
const plan = (run: TaskRun, ...work: WorkItem[]): void =>
  run.update({ agenda: [...run.state.agenda, ...work] });

/** Sets the task's variables, and gives what is to be done to bring it to its first step. */
function activation(run: TaskRun): WorkItem[] {
  const { task } = run.session;
  run.update({ status: "active" });
  for (const variable of task.variables ?? []) {
    if (!run.holds(variable.if, `variables.${variable.name}`)) continue;
    const value = run.given(variable);
    const scoped = /^(local|output|vars)\./.test(variable.name);
    if (value === undefined || (scoped && run.scope.lookup(variable.name) != null)) continue;
    run.write(scoped ? variable.name : `local.${variable.name}`, value);
  }
  if (task.type !== "steps") return [];
  const [first] = task.steps;
  if (first) return [hookOf("start", first.id), { do: "enter", step: first.id }];
  complete(run);
  return [];
}

function submit(run: TaskRun, given: PathMembers) {
  const { task } = run.session;
  const { status } = run.state;
  if (task.type === "event")
    return plan(run, hookOf("start", null), { do: "answer", result: { status: "ok" } });
  if (task.type === "expression") return plan(run, { do: "submission", arguments: given });
  if (status === "completed") return run.reply({ status: "completed" });
  if (status === "active") return plan(run, { do: "submission", arguments: given });
  // The first call of a task that waited brings it to its first step; without arguments that is all it does.
  const submission: WorkItem = Object.values(given).every(isEmpty)
    ? REPLY
    : { do: "submission", arguments: given };
  plan(run, ...activation(run), submission);
}

function goTo(run: TaskRun, step_id: unknown) {
  const allowed = run.state.status === "active" && run.step?.tools?.allowGoToStep === true;
  const target = run.steps.find(({ id }) => id === step_id);
  if (allowed && target) return plan(run, { do: "enter", step: target.id }, REPLY);
  const message = allowed
    ? `step_id must be one of ${run.steps.map(({ id }) => id).join(", ")}`
    : "This step can't be left that way.";
  run.reply(renderRefusal(run, [{ input: "step_id", message }]));
}

/** The head of the agenda is the hook whose action made the call. */
function goOn(run: TaskRun, { result, error }: { result: unknown; error: string | null }) {
  const [work] = run.state.agenda;
  if (!run.state.awaiting || work?.do !== "hook") return run.note("a call answered that nobody waits for");
  const action = actionsOf(run, work)[work.at];
  run.update({ agenda: [{ ...work, at: work.at + 1 }, ...run.state.agenda.slice(1)] });
  if (action?.action === "call") captureResult(run, action, { result, error });
  else run.update({ awaiting: false });
}

function perform(run: TaskRun, work: WorkItem) {
  switch (work.do) {
    case "hook":
      return runHook(run, work);
    case "enter":
      return enter(run, work.step);
    case "submission":
      return run.session.task.type === "expression"
        ? compute(run, work.arguments)
        : takeSubmission(run, work.arguments);
    case "route":
      return route(run);
    case "next":
      return leave(run);
    case "reply":
      return run.reply(renderStep(run));
    case "answer":
      run.update({ say: [] });
      return run.reply(work.result as PathMembers);
    default:
      return unreachable(work);
  }
}

type HookWork = Extract<WorkItem, { do: "hook" }>;

function runHook(run: TaskRun, work: HookWork): void {
  const actions = actionsOf(run, work);
  for (let at = work.at; at < actions.length; at++) {
    const where = `${work.of ?? run.session.key}.on.${work.hook}.${at}`;
    if (runAction(run, actions[at] as TaskAction, work.hook, where) === "calling") {
      run.update({ agenda: [{ ...work, at }, ...run.state.agenda] });
      return;
    }
  }
  if (work.hook === "enter") routeOrCall(run);
}

function actionsOf(run: TaskRun, { hook, of }: HookWork): TaskAction[] {
  const { task } = run.session;
  if (of === null) return ("on" in task && (task.on as Record<string, TaskAction[] | null>)?.[hook]) || [];
  return run.steps.find(({ id }) => id === of)?.on?.[hook] ?? [];
}

function enter(run: TaskRun, id: string) {
  if (!run.steps.some((step) => step.id === id)) return complete(run, `There is no step "${id}".`);
  const visit = ((own(run.state.visits, id) as number | undefined) ?? 0) + 1;
  if (visit > MAX_VISITS) return complete(run, `Step "${id}" was entered more than ${MAX_VISITS} times.`);
  run.stop({ kind: "step", workflow: run.session.key, step: id });
  run.update({
    status: "active",
    step: id,
    inputs: {},
    visits: { ...run.state.visits, [id]: visit },
    pending_calls: run.state.pending_calls.filter((call) => !call.immediate),
    agenda: [hookOf("enter", id), ...run.state.agenda],
  });
  run.tell("entered", { visit });
}

/** A step that calls at once: its own tool, or the only one it allows. Where a model could add nothing, none is asked. */
function routeOrCall(run: TaskRun): void {
  const { step, session } = run;
  if (!step?.tools?.call || session.tool_name === null) return;
  // A call that the model was made to make comes first: the conditions may depend on it.
  if (isRoutingStep(step, session.tool_name) && run.state.pending_calls.length === 0)
    run.update({ agenda: [{ do: "route" }, ...run.state.agenda] });
  else forceCall(run, step);
}

function forceCall(run: TaskRun, { tools }: Step): void {
  const { session } = run;
  const allow = tools?.allow;
  const tool = allow?.length === 1 ? (allow[0] as string) : (session.tool_name as string);
  const pending = { tool, arguments: {}, immediate: true };
  run.update({ pending_calls: [...run.state.pending_calls, pending] });
}

/** The submission of a step without inputs, made by the engine. Where the way on is refused, the model is told why. */
function route(run: TaskRun): void {
  const step = run.step as Step;
  const routed = (run.state.routed ?? 0) + 1;
  if (routed > MAX_ROUTED) {
    complete(run, `More than ${MAX_ROUTED} steps were passed in a row without a submission.`);
    return;
  }
  run.update({ routed });
  run.tell("routed");
  presubmit(run, step);
  const before_calls = unmetBeforeCalls(run, step);
  if (before_calls) {
    run.update({ agenda: [] });
    refuseLeaving(run, { ...before_calls, before_actions: true });
    return;
  }
  run.update({ agenda: [hookOf("submit", step.id), { do: "next" }, ...run.state.agenda] });
}

function presubmit(run: TaskRun, step: Step): void {
  for (const [at, action] of (step.on?.presubmit ?? []).entries()) {
    runAction(run, action, "presubmit", `${step.id}.on.presubmit.${at}`);
  }
}

/** Only what the step declares is taken; what doesn't fit is put back, so that it can't come along with the next try. */
function takeSubmission(run: TaskRun, given: PathMembers) {
  const { step, inputs } = run;
  if (!step || run.state.status !== "active") return run.reply(renderStep(run));
  const before = run.state.inputs;
  run.update({ inputs: collected(inputs, before, given) });
  presubmit(run, step);
  const faults = inputFaults(inputs, run.state.inputs);
  run.tell("submission", { inputs: run.state.inputs, ...(faults.length > 0 && { faults }) });
  const before_calls = faults.length === 0 ? unmetBeforeCalls(run, step) : null;
  if (before_calls) return refuseLeaving(run, { ...before_calls, before_actions: true });
  if (faults.length === 0) return plan(run, hookOf("submit", step.id), { do: "next" }, REPLY);
  const faulty = new Set(faults.map(({ input }) => input));
  const kept = Object.entries(run.state.inputs).filter(([name]) => !faulty.has(name));
  const restored = Object.entries(before).filter(([name]) => faulty.has(name));
  run.update({ inputs: Object.fromEntries([...kept, ...restored]) });
  run.reply(renderRefusal(run, faults));
}

/** Top to bottom; the first entry that holds decides, also when what it requires is not there yet. */
function leave(run: TaskRun) {
  const step = run.step as Step;
  for (const [at, entry] of (step.next ?? []).entries()) {
    const next = typeof entry === "string" ? { id: entry } : entry;
    if (!run.guard(next.if, next.id, `${step.id}.next.${at}`)) continue;
    const missing = unmet(run, next.requires);
    if (missing.length === 0)
      return run.update({ agenda: [{ do: "enter", step: next.id }, ...run.state.agenda] });
    run.update({ agenda: [] });
    return refuseLeaving(run, { to: next.id, missing });
  }
  complete(run);
}

function refuseLeaving(run: TaskRun, { to, missing, ...when }: Unmet & { before_actions?: true }): void {
  run.tell("requires", { to, missing, ...when });
  run.reply(
    renderRefusal(
      run,
      missing.map((input) => ({ input, message: `${input} is needed before going on` })),
    ),
  );
}

/** Its tool is gone from now on; what it knows is kept. */
function complete(run: TaskRun, error: string | null = null): void {
  run.update({
    status: "completed",
    error,
    pending_calls: run.state.pending_calls.filter((call) => !call.immediate),
  });
  run.tell("completed", error === null ? {} : { error });
  if (error !== null) run.note(error);
}

function compute(run: TaskRun, given: PathMembers) {
  run.update({ inputs: collected(run.inputs, {}, given) });
  const faults = inputFaults(run.inputs, run.state.inputs);
  if (faults.length > 0) return run.reply({ status: "error", errors: faults });
  const result = computeExpression(run);
  plan(run, hookOf("submit", null), { do: "answer", result: { result } });
}
