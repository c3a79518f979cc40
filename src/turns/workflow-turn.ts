import type { Snapshot, SnapshotTool } from "../agents/snapshot.ts";
import type { TraceEntry } from "../events/trace.ts";
import type { ToolCall } from "../llm/model.ts";
import { type SessionState, sessionLookup } from "../sessions/variables.ts";
import { GO_TO_STEP } from "../tools/issues/task-issues.ts";
import { isGiven } from "../workflows/input-faults.ts";
import { authoredTexts, type IsAuthored, instructionLookup } from "../workflows/instruction-lookup.ts";
import { runTask, type WorkflowEvent } from "../workflows/run-steps.ts";
import { beginWait, cancelWait, dueReturn, isWaiting } from "../workflows/sub-workflow.ts";
import type { TaskEffect, TaskSurroundings, TaskWatch } from "../workflows/task-run.ts";
import { jumpingTask, type LiveTask, mayCall, requiredOf, requiredOfTask } from "../workflows/task-tools.ts";
import {
  freshTask,
  holdsTasks,
  type SessionTask,
  sessionTasks,
  type WorkflowsState,
  withTask,
} from "../workflows/workflow-state.ts";
import { type Offering, offerTools } from "./offered-tools.ts";

export type TaskReply = Extract<TaskEffect, { type: "reply" }>;

/** What a turn does for the workflows of its session. */
type WorkflowHost = {
  snapshot: Snapshot;
  /** The session's memory as of now. */
  memory(): Readonly<SessionState>;
  remember(change: Partial<Pick<SessionState, "variables" | "workflows">>): void;
  /** The system variables as of now. */
  system(): Record<string, unknown>;
  say(text: string): void;
  hear(text: string): void;
  trace(entries: TraceEntry[]): void;
  /** Of a turn that is debugged. */
  watch?: TaskWatch | undefined;
  /** Stores and sends the words so far, because the next call may be slow. */
  sendWords(): Promise<void>;
  /** Runs a tool of the snapshot for a workflow, and adds call and result to the history. */
  inject(
    tool: SnapshotTool,
    given: Record<string, unknown>,
  ): Promise<{ result: unknown; error: string | null }>;
  /** Adds a call of a task's own tool with its answer to the history, though the model did not make it. */
  recordCall(
    task: SessionTask,
    given: Record<string, unknown>,
    reply: () => Promise<TaskReply>,
  ): Promise<TaskReply>;
};

/** The tasks of a session during a turn: passes them events, and performs their effects. */
export class Workflows {
  readonly tasks: readonly SessionTask[];
  readonly #host: WorkflowHost;
  readonly #isAuthored: IsAuthored;

  constructor(host: WorkflowHost) {
    this.#host = host;
    this.#isAuthored = authoredTexts(host.snapshot);
    this.tasks = sessionTasks(host.snapshot.tools);
  }

  /** Brings automatic tasks to their first step, once per session, before anything is said. */
  async open(): Promise<void> {
    if (this.#host.memory().workflows || this.tasks.length === 0) return;
    const fresh = this.tasks.map((task) => [task.key, freshTask()]);
    this.#host.remember({ workflows: { tasks: Object.fromEntries(fresh), started: false } });
    for (const task of this.tasks) {
      if (task.task.type !== "steps") await this.#drive(task, { type: "activate" });
      else if (task.task.start === "auto" && this.#live(task).state.status === "inactive") {
        // The model reads the first step as the answer to a call, though it did not make it.
        await this.#host.recordCall(task, {}, () => this.#drive(task, { type: "activate" }));
      }
    }
    await this.#returnToCallers();
  }

  /** A call that was under way when the program stopped has an unknown fate; its workflow continues without a result. */
  async recover(): Promise<void> {
    for (const task of this.tasks) {
      const { state } = this.#live(task);
      if (state.awaiting && !isWaiting(state))
        await this.#drive(task, { type: "called", result: null, error: STOPPED });
    }
    await this.#returnToCallers();
  }

  /** Whether a turn does something for a workflow before it asks the model. */
  get actsBeforeModel(): boolean {
    if (this.tasks.length === 0) return false;
    return !this.#host.memory().workflows?.started || this.#all().some(({ state }) => state.awaiting);
  }

  /** Whether the model has to act before the user says anything. */
  get isWaiting(): boolean {
    return this.#all().some(({ state }) => state.pending_calls.some((call) => call.immediate));
  }

  /** The user speaks. The first time, waiting tasks run their `start` hooks. Returns whether it was the first time. */
  async hearUser(): Promise<boolean> {
    const { workflows } = this.#host.memory();
    if (!workflows || workflows.started) return false;
    this.#host.remember({ workflows: { ...workflows, started: true } });
    for (const task of this.tasks) {
      if (task.task.type !== "steps") await this.#drive(task, { type: "start" });
    }
    await this.#returnToCallers();
    return true;
  }

  /** The tools whose last result told the model the current step of a workflow. */
  get openStepTools(): string[] {
    const open = this.#all().filter(
      ({ task, state }) => task.task.type === "steps" && state.status === "active" && !isWaiting(state),
    );
    return open.length === 0 ? [] : [GO_TO_STEP, ...open.flatMap(({ task }) => task.tool_name ?? [])];
  }

  /** The tools that the model may call now. */
  offer(): Offering {
    const { snapshot, memory, system } = this.#host;
    const lookup = instructionLookup(sessionLookup(memory(), system()), this.#isAuthored);
    return offerTools(snapshot.tools, this.#all(), this.#surroundings(), lookup);
  }

  /** Ends the forced call: the model was asked for it once. */
  settle({ forced }: Offering): void {
    const { workflows } = this.#host.memory();
    if (!forced || !workflows) return;
    const { key } = forced.live.task;
    const { pending_calls, ...state } = workflows.tasks[key] ?? freshTask();
    const left = { ...state, pending_calls: pending_calls.filter((call) => call !== forced.call) };
    this.#host.remember({ workflows: withTask(workflows, key, left) });
  }

  /** The model's call with arguments added by a workflow; the model's own override them. */
  withKnown(call: ToolCall, { forced }: Offering): ToolCall {
    if (!forced || forced.call.tool !== call.name || call.arguments_error) return call;
    const given = Object.entries(call.arguments).filter(([, value]) => isGiven(value));
    const known = { ...forced.call.arguments, ...Object.fromEntries(given) };
    return { ...call, arguments: { ...call.arguments, ...known } };
  }

  async submit(task: SessionTask, given: Record<string, unknown>): Promise<TaskReply> {
    const reply = await this.#drive(task, { type: "submit", arguments: given });
    await this.#returnToCallers();
    return reply;
  }

  /** A jump within a task that waits for another one ends that one. */
  async goToStep(step_id: unknown): Promise<TaskReply> {
    const live = jumpingTask(this.#all(), step_id);
    if (!live) return NOTHING_TO_SAY;
    const { workflows } = this.#host.memory();
    const isJump = live.task.task.type === "steps" && live.task.task.steps.some(({ id }) => id === step_id);
    if (workflows && isJump) this.#host.remember({ workflows: cancelWait(workflows, live.task.key) });
    const reply = await this.#drive(live.task, { type: "go_to_step", step_id });
    await this.#returnToCallers();
    return reply;
  }

  /** Processes one event to its end: makes the calls that the task asks for, and returns their results to it. */
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
        else event = await this.#answered(task, effect);
      }
    }
    return reply ?? this.#waiting(task) ?? NOTHING_TO_SAY;
  }

  /** What comes of a call, as the task's next event; null while the task that it started is not completed. */
  async #answered(
    caller: SessionTask,
    { tool, arguments: given, wait }: Extract<TaskEffect, { type: "call" }>,
  ): Promise<WorkflowEvent | null> {
    const task = this.#taskNamed(tool);
    if (!wait || !task) return { ...(await this.#call(tool, given)), type: "called" };
    const { workflows } = this.#host.memory();
    const begun = workflows && beginWait(workflows, caller, task);
    if (!begun?.ok) return { type: "called", result: null, error: begun?.error ?? STOPPED };
    this.#host.remember({ workflows: begun.workflows });
    await this.#host.recordCall(task, given, () => this.#drive(task, { type: "submit", arguments: given }));
    if (this.#live(task).state.status === "active") return null;
    const ended = dueReturn(this.#host.memory().workflows as WorkflowsState, caller.key);
    if (!ended) return null;
    this.#host.remember({ workflows: ended.workflows });
    return ended.event;
  }

  /** Continues the tasks whose calls were waiting for one that is completed now; the model reads where they stand. */
  async #returnToCallers(): Promise<void> {
    for (let left = this.tasks.length; left > 0; left--) {
      const { workflows } = this.#host.memory();
      const due = workflows && dueReturn(workflows);
      const caller = due && this.tasks.find(({ key }) => key === due.caller);
      if (!caller) return;
      this.#host.remember({ workflows: due.workflows });
      await this.#host.recordCall(caller, {}, () => this.#drive(caller, due.event));
    }
  }

  #waiting(task: SessionTask): TaskReply | null {
    const { state } = this.#live(task);
    const called = this.tasks.find(({ key }) => key === state.waits_for);
    if (!called) return null;
    const result = { status: "waiting", step: state.step, waiting_for: called.tool_name };
    return { type: "reply", result, error: null };
  }

  #taskNamed(name: string): SessionTask | undefined {
    return this.tasks.find((candidate) => candidate.tool_name === name);
  }

  async #call(
    name: string,
    given: Record<string, unknown>,
  ): Promise<{ result: unknown; error: string | null }> {
    const task = this.#taskNamed(name);
    if (task) {
      const submitted = () => this.#drive(task, { type: "submit", arguments: given });
      return answerOf(await this.#host.recordCall(task, given, submitted));
    }
    const tool = this.#plainTool(name);
    if (tool) await this.#host.sendWords();
    return tool ? this.#host.inject(tool, given) : { result: null, error: `There is no tool named ${name}.` };
  }

  #plainTool(name: string): SnapshotTool | undefined {
    return this.#host.snapshot.tools.find((tool) => tool.name === name && !holdsTasks(tool));
  }

  /** The variables that a task sees; without a task, those that all see. */
  #surroundings(of?: SessionTask): TaskSurroundings {
    const { memory, system, watch } = this.#host;
    return {
      ...(watch && { watch }),
      variables: memory().variables,
      system: system(),
      isAuthored: this.#isAuthored,
      callable: (name) => {
        const task = this.#taskNamed(name);
        if (task)
          return {
            required: requiredOfTask(this.#live(task)),
            is_task: true,
            steps: task.task.type === "steps",
          };
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

/** A task's result for the workflow that called it; inputs it did not accept make the call fail. */
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
