import type { WorkflowEvent } from "./run-steps.ts";
import {
  freshTask,
  type SessionTask,
  type TaskState,
  type WorkflowsState,
  withTask,
} from "./workflow-state.ts";

/*
 * A steps task that another one called with `wait` returns to its caller. The caller's hook is suspended until the task is
 * completed, and then reads its result like a tool's. All of this is in the stored state of the two tasks, so that any
 * process can resume the caller. Pure.
 */

/** How deep callers nest. Sub-workflows of sub-workflows are rare; ten levels are a mistake. */
const MAX_NESTING = 10;

type Begun = { ok: true; workflows: WorkflowsState } | { ok: false; error: string };

/** The state in which `caller` waits for `called`, which has still to be started; or why that can't be. */
export function beginWait(workflows: WorkflowsState, caller: SessionTask, called: SessionTask): Begun {
  const state = workflows.tasks[called.key] ?? freshTask();
  const name = called.tool_name ?? called.key;
  if (state.status === "active") return { ok: false, error: `The task ${name} is under way already.` };
  if (depthOf(workflows, caller.key) >= MAX_NESTING)
    return { ok: false, error: `Tasks wait for one another more than ${MAX_NESTING} deep.` };
  // Called again, it starts from its first step. Variables that it saved in the conversation stay.
  const begun = withTask(workflows, called.key, freshTask());
  return { ok: true, workflows: change(begun, caller.key, { waits_for: called.key }) };
}

/** How many callers wait above this task. */
function depthOf({ tasks }: WorkflowsState, key: string): number {
  const seen = new Set([key]);
  for (let at: string | undefined = key; at !== undefined; ) {
    const below: string = at;
    at = Object.keys(tasks).find((caller) => tasks[caller]?.waits_for === below && !seen.has(caller));
    if (at !== undefined) seen.add(at);
  }
  return seen.size;
}

type Return = {
  caller: string;
  event: Extract<WorkflowEvent, { type: "called" }>;
  workflows: WorkflowsState;
};

/** The next caller (`only`: this one) whose task has ended, the event that resumes it, and the state without its wait. */
export function dueReturn(workflows: WorkflowsState, only?: string): Return | null {
  for (const [caller, state] of Object.entries(workflows.tasks)) {
    if (state.waits_for == null || (only !== undefined && caller !== only)) continue;
    const called = workflows.tasks[state.waits_for];
    if (called?.status === "active") continue;
    return { caller, event: returned(called), workflows: change(workflows, caller, { waits_for: null }) };
  }
  return null;
}

/** A task that was never started was lost with the process that was about to start it. */
function returned(called: TaskState | undefined): Return["event"] {
  if (called?.status !== "completed")
    return { type: "called", result: null, error: "The program stopped before the task began." };
  const { status, step, output, error } = called;
  return { type: "called", result: { status, step, output }, error };
}

/**
 * The task leaves the step in which it waits: everything that it waits for, and what that waits for, ends here. Their
 * callers are not told.
 */
export function cancelWait(workflows: WorkflowsState, key: string): WorkflowsState {
  let at: string | null | undefined = workflows.tasks[key]?.waits_for;
  if (at == null) return workflows;
  let left = change(workflows, key, FREE);
  // A task has one state and waits once, so the chain ends; the bound holds for a state that was tampered with.
  for (let steps = 0; at != null && steps <= MAX_NESTING; steps++) {
    const next: string | null | undefined = left.tasks[at]?.waits_for;
    left = change(left, at, { ...FREE, status: "completed", error: "Its caller went to another step." });
    at = next;
  }
  return left;
}

const FREE = { awaiting: false, agenda: [], pending_calls: [], waits_for: null };

const change = (workflows: WorkflowsState, key: string, part: Partial<TaskState>): WorkflowsState =>
  withTask(workflows, key, { ...(workflows.tasks[key] ?? freshTask()), ...part });

/** Whether a task stands still until another one ends. */
export const isWaiting = ({ waits_for }: Pick<TaskState, "waits_for">): boolean => waits_for != null;
