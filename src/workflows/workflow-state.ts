import type { SnapshotTool } from "../agents/snapshot.ts";
import type { EventTask, ExpressionTask, StepsTask } from "../tools/task-definition.ts";
import { tasksOf, toolType } from "../tools/tool-definition.ts";

/**
 * What one task of a context tool remembers. Plain JSON, so that a session that is stored and read again, in another
 * process, goes on as if nothing had been.
 */
export type TaskState = {
  status: "inactive" | "active" | "completed";
  /** The id of the current step; of the last one when completed. */
  step: string | null;
  local: Record<string, unknown>;
  /** What the current step has collected. */
  inputs: Record<string, unknown>;
  output: unknown;
  /** How often each step was entered. */
  visits: Record<string, number>;
  /** Locals that came from a tool's answer: the task reads them by their bare names too. */
  captured: string[];
  /** Calls the model is made to make, first one first. */
  pending_calls: PendingCall[];
  /** Texts of the agent since the model last read an answer of this task. */
  say: string[];
  /** What is left to do of the event under way; empty between events. */
  agenda: WorkItem[];
  /** An injected call runs, and the head of the agenda waits for its result. */
  awaiting: boolean;
  /** Why the task ended early. */
  error: string | null;
  /** Routing steps passed since the last submission. */
  routed?: number;
  /** The task whose end a `call` that waits is waiting for; `awaiting` is true meanwhile. */
  waits_for?: string | null;
};

export type PendingCall = {
  tool: string;
  /** Given by the workflow; they win nothing over what the model gives. */
  arguments: Record<string, unknown>;
  /** The step wants the call made at once, also when nobody has spoken. */
  immediate: boolean;
};

/** One thing to do. Hooks are named, not copied: `of` is the step's id, or null for the task's own. */
export type WorkItem =
  | { do: "hook"; hook: "start" | "enter" | "submit"; of: string | null; at: number }
  | { do: "enter"; step: string }
  | { do: "submission"; arguments: Record<string, unknown> }
  /** Leaves a step that needs no model. */
  | { do: "route" }
  | { do: "next" }
  | { do: "reply" }
  | { do: "answer"; result: unknown };

/** All tasks of a session. */
export type WorkflowsState = {
  tasks: Record<string, TaskState>;
  /** The first words of the user have been heard, so that `start` hooks have run. */
  started: boolean;
};

/** The tasks with one of them as it is now; the others, and those that were handed in, stay as they are. */
export const withTask = (
  workflows: WorkflowsState | undefined,
  key: string,
  state: TaskState,
): WorkflowsState => ({
  started: workflows?.started ?? false,
  tasks: { ...workflows?.tasks, [key]: state },
});

export const freshTask = (): TaskState => ({
  status: "inactive",
  step: null,
  local: {},
  inputs: {},
  output: null,
  visits: {},
  captured: [],
  pending_calls: [],
  say: [],
  agenda: [],
  awaiting: false,
  error: null,
});

type RunnableTask = StepsTask | ExpressionTask | EventTask;

/** A task of a session, under the name of its state and the one the model calls it by. */
export type SessionTask<T extends RunnableTask = RunnableTask> = {
  key: string;
  task: T;
  /** null: the model never sees it. */
  tool_name: string | null;
  /** The record that brought it. */
  tool: SnapshotTool;
};

/** A context tool with tasks is only the record that holds them; the model sees the tasks. */
export const holdsTasks = (tool: SnapshotTool): boolean =>
  !tool.is_system && toolType(tool.definition) === "context" && tasksOf(tool.definition).length > 0;

/**
 * The tasks of a session: lower priority first, then those without one, else in the order of the prompt's tools.
 * Imports are for developers' machines and never run here.
 */
export function sessionTasks(tools: readonly SnapshotTool[]): SessionTask[] {
  // Under these names every object has something, which is no task's state.
  const taken = new Set(Object.getOwnPropertyNames(Object.prototype));
  const unique = (wanted: string): string => {
    let key = wanted;
    for (let n = 2; taken.has(key); n++) key = `${wanted}#${n}`;
    taken.add(key);
    return key;
  };
  const all = tools.filter(holdsTasks).flatMap((tool) =>
    tasksOf(tool.definition).flatMap(({ task }, index): SessionTask[] => {
      if (task.type === "import") return [];
      const own = index === 0 ? tool.name : `${tool.name}_${index}`;
      const tool_name = task.tool?.name ?? (task.type === "event" ? null : own);
      return [{ key: unique(task.id ?? `${tool.name}#${index}`), task, tool_name, tool }];
    }),
  );
  const priority = ({ task }: SessionTask) => task.metadata?.priority ?? Number.POSITIVE_INFINITY;
  return all.toSorted((a, b) => (priority(a) === priority(b) ? 0 : priority(a) - priority(b)));
}
