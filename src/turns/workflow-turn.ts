import type { Snapshot, SnapshotTool } from "../agents/snapshot.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { ToolCall } from "../llm/model.ts";
import { type SessionState, sessionLookup } from "../sessions/variables.ts";
import { GO_TO_STEP } from "../tools/task-issues.ts";
import { isGiven } from "../workflows/input-faults.ts";
import { authoredTexts, type IsAuthored, instructionLookup } from "../workflows/instruction-lookup.ts";
import { runTask, type WorkflowEvent } from "../workflows/run-steps.ts";
import type { TaskEffect, TaskSurroundings } from "../workflows/task-run.ts";
import { jumpingTask, type LiveTask, mayCall, requiredOf, requiredOfTask } from "../workflows/task-tools.ts";
import {
  freshTask,
  holdsTasks,
  type SessionTask,
  sessionTasks,
  withTask,
} from "../workflows/workflow-state.ts";
import { type Offering, offerTools } from "./offered-tools.ts";

export type TaskReply = Extract<TaskEffect, { type: "reply" }>;

/** What the workflows of a session need done; a turn does it. */
type WorkflowHost = {
  snapshot: Snapshot;
  /** What the session remembers now. */
  memory(): Readonly<SessionState>;
  remember(change: Partial<Pick<SessionState, "variables" | "workflows">>): void;
  /** The program's own variables, as they are now. */
  system(): Record<string, unknown>;
  say(text: string): void;
  hear(text: string): void;
  trace(entries: TraceEntry[]): void;
  /** Stores and sends what was said so far: a call that comes next may be slow. */
  sendWords(): Promise<void>;
  /** Runs a tool of the snapshot for a workflow; call and result go into the history. */
  inject(
    tool: SnapshotTool,
    given: Record<string, unknown>,
  ): Promise<{ result: unknown; error: string | null }>;
  /** Puts a call of a task's own tool, which the model did not make, and its answer into the history. */
  recordCall(
    task: SessionTask,
    given: Record<string, unknown>,
    reply: () => Promise<TaskReply>,
  ): Promise<TaskReply>;
};

/** The tasks of a session while a turn runs: hands them their events, and does what they want done. */
export class Workflows {
  readonly tasks: readonly SessionTask[];
  readonly #host: WorkflowHost;
  readonly #isAuthored: IsAuthored;

  constructor(host: WorkflowHost) {
    this.#host = host;
    this.#isAuthored = authoredTexts(host.snapshot);
    this.tasks = sessionTasks(host.snapshot.tools);
  }

  /** Brings automatic tasks to their first step. Once a session, before anything is said. */
  async open(): Promise<void> {
    if (this.#host.memory().workflows || this.tasks.length === 0) return;
    const fresh = this.tasks.map((task) => [task.key, freshTask()]);
    this.#host.remember({ workflows: { tasks: Object.fromEntries(fresh), started: false } });
    for (const task of this.tasks) {
      if (task.task.type !== "steps") await this.#drive(task, { type: "activate" });
      else if (task.task.start === "auto" && this.#live(task).state.status === "inactive") {
        // The model finds its first step as the answer to a call it did not make.
        await this.#host.recordCall(task, {}, () => this.#drive(task, { type: "activate" }));
      }
    }
  }

  /** A call that was under way when the program stopped has an unknown fate; its workflow goes on without its result. */
  async recover(): Promise<void> {
    for (const task of this.tasks) {
      if (this.#live(task).state.awaiting)
        await this.#drive(task, { type: "called", result: null, error: STOPPED });
    }
  }

  /** Whether the model has to act before the user says anything. */
  get isWaiting(): boolean {
    return this.#all().some(({ state }) => state.pending_calls.some((call) => call.immediate));
  }

  /** The user speaks: the first time, tasks that wait for that run their `start` hooks. Tells whether it was. */
  async hearUser(): Promise<boolean> {
    const { workflows } = this.#host.memory();
    if (!workflows || workflows.started) return false;
    this.#host.remember({ workflows: { ...workflows, started: true } });
    for (const task of this.tasks) {
      if (task.task.type !== "steps") await this.#drive(task, { type: "start" });
    }
    return true;
  }

  /** The tools whose last answer told the model the step that a workflow is in. */
  get openStepTools(): string[] {
    const open = this.#all().filter(
      ({ task, state }) => task.task.type === "steps" && state.status === "active",
    );
    return open.length === 0 ? [] : [GO_TO_STEP, ...open.flatMap(({ task }) => task.tool_name ?? [])];
  }

  /** What the model may call now. */
  offer(): Offering {
    const { snapshot, memory, system } = this.#host;
    const lookup = instructionLookup(sessionLookup(memory(), system()), this.#isAuthored);
    return offerTools(snapshot.tools, this.#all(), this.#surroundings(), lookup);
  }

  /** The model has had its chance to make the call it was made to make. */
  settle({ forced }: Offering): void {
    const { workflows } = this.#host.memory();
    if (!forced || !workflows) return;
    const { key } = forced.live.task;
    const { pending_calls, ...state } = workflows.tasks[key] ?? freshTask();
    const left = { ...state, pending_calls: pending_calls.filter((call) => call !== forced.call) };
    this.#host.remember({ workflows: withTask(workflows, key, left) });
  }

  /** The model's call with what a workflow knew for it; what the model gives wins. */
  withKnown(call: ToolCall, { forced }: Offering): ToolCall {
    if (!forced || forced.call.tool !== call.name || call.arguments_error) return call;
    const given = Object.entries(call.arguments).filter(([, value]) => isGiven(value));
    const known = { ...forced.call.arguments, ...Object.fromEntries(given) };
    return { ...call, arguments: { ...call.arguments, ...known } };
  }

  submit(task: SessionTask, given: Record<string, unknown>): Promise<TaskReply> {
    return this.#drive(task, { type: "submit", arguments: given });
  }

  goToStep(step_id: unknown): Promise<TaskReply> {
    const live = jumpingTask(this.#all(), step_id);
    if (!live) return Promise.resolve(NOTHING_TO_SAY);
    return this.#drive(live.task, { type: "go_to_step", step_id });
  }

  /** One event to its end: calls are made as the task asks for them, and their results handed back. */
  async #drive(task: SessionTask, first: WorkflowEvent): Promise<TaskReply> {
    const host = this.#host;
    let reply: TaskReply | null = null;
    let event: WorkflowEvent | null = first;
    while (event) {
      const outcome = runTask(task, this.#live(task).state, event, this.#surroundings(task));
      const workflows = withTask(host.memory().workflows, task.key, outcome.state);
      host.remember({ variables: outcome.variables, workflows });
      host.trace(outcome.trace);
      event = null;
      for (const effect of outcome.effects) {
        if (effect.type === "say") host.say(effect.text);
        else if (effect.type === "hear") host.hear(effect.text);
        else if (effect.type === "reply") reply = effect;
        else event = { ...(await this.#call(effect.tool, effect.arguments)), type: "called" };
      }
    }
    return reply ?? NOTHING_TO_SAY;
  }

  async #call(
    name: string,
    given: Record<string, unknown>,
  ): Promise<{ result: unknown; error: string | null }> {
    const task = this.tasks.find((candidate) => candidate.tool_name === name);
    if (task) return answerOf(await this.#host.recordCall(task, given, () => this.submit(task, given)));
    const tool = this.#plainTool(name);
    if (tool) await this.#host.sendWords();
    return tool ? this.#host.inject(tool, given) : { result: null, error: `There is no tool named ${name}.` };
  }

  #plainTool(name: string): SnapshotTool | undefined {
    return this.#host.snapshot.tools.find((tool) => tool.name === name && !holdsTasks(tool));
  }

  /** What a task sees; without one, what all of them do. */
  #surroundings(of?: SessionTask): TaskSurroundings {
    const { memory, system } = this.#host;
    return {
      variables: memory().variables,
      system: system(),
      isAuthored: this.#isAuthored,
      callable: (name) => {
        const task = this.tasks.find((candidate) => candidate.tool_name === name);
        if (task) return { required: requiredOfTask(this.#live(task)) };
        const tool = !of || mayCall(of, name, this.tasks) ? this.#plainTool(name) : undefined;
        return tool && { required: requiredOf(tool) };
      },
    };
  }

  #live(task: SessionTask): LiveTask {
    return { task, state: this.#host.memory().workflows?.tasks[task.key] ?? freshTask() };
  }

  #all(): LiveTask[] {
    return this.tasks.map((task) => this.#live(task));
  }
}

/** What a task answers to the workflow that called it; inputs it did not take make the call a failed one. */
function answerOf({ result, error }: TaskReply): { result: unknown; error: string | null } {
  if (error !== null || result.status !== "error") return { result, error };
  const faults = Array.isArray(result.errors) ? result.errors : [];
  const told = faults.map((fault: { message?: unknown }) => String(fault.message));
  return {
    result,
    error: told.length > 0 ? `${told.join("; ")}.` : String(result.message ?? "It was refused."),
  };
}

const STOPPED = "The program stopped during the call, so whether it took effect is not known.";

const NOTHING_TO_SAY: TaskReply = { type: "reply", result: { status: "ok" }, error: null };
