import type { SnapshotTool } from "../agents/snapshot.ts";
import type { TraceEntry } from "../events/trace.ts";
import { withTask } from "../tools/tool-definition.examples.ts";
import { runTask, type WorkflowEvent } from "./run-steps.ts";
import type { TaskEffect, TaskOutcome } from "./task-run.ts";
import type { PathMembers } from "./variable-path.ts";
import { freshTask, type SessionTask, sessionTasks, type TaskState } from "./workflow-state.ts";

/*
 * Tasks without a session around them, for tests and benchmarks.
 */

/** A tool that tasks may call: what it requires, and what it answers; what it throws is its failure. */
export type FakeTool = { required?: string[]; is_task?: boolean; answer(given: PathMembers): unknown };

/** The first task of a definition, as a session would have it. */
export function taskOf(task: object): SessionTask {
  const tool: SnapshotTool = {
    id: 1,
    name: "holder",
    version_number: 1,
    service_id: 1,
    is_system: false,
    definition: { ...withTask(task), type: "context" },
  };
  return sessionTasks([tool])[0] as SessionTask;
}

/** Hands a task its events and runs its calls, as a turn does, keeping all that came of it. */
export class TaskDriver {
  readonly task: SessionTask;
  readonly tools: Record<string, FakeTool>;
  state: TaskState = freshTask();
  variables: PathMembers;
  system: PathMembers = { "vars.session.date": "2026-11-20" };
  /** Every effect so far, and the trace. */
  effects: TaskEffect[] = [];
  trace: TraceEntry[] = [];
  /** What happens to the state between two events; a session stores it there. */
  between: (driver: TaskDriver) => void = () => {};

  constructor(task: object, tools: Record<string, FakeTool> = {}, variables: PathMembers = {}) {
    this.task = taskOf(task);
    this.tools = tools;
    this.variables = variables;
  }

  /** The event to its end; gives the reply, null where there is none. */
  send(event: WorkflowEvent): PathMembers | null {
    let reply: PathMembers | null = null;
    for (let next: WorkflowEvent | null = event; next; ) {
      const outcome = this.step(next);
      next = null;
      for (const effect of outcome.effects) {
        if (effect.type === "reply") reply = effect.result;
        if (effect.type === "call") next = this.#called(effect.tool, effect.arguments);
      }
    }
    return reply;
  }

  /** One step of the interpreter and no more. */
  step(event: WorkflowEvent): TaskOutcome {
    const outcome = runTask(this.task, this.state, event, {
      variables: this.variables,
      system: this.system,
      callable: (name) => {
        const tool = Object.hasOwn(this.tools, name) ? this.tools[name] : undefined;
        return tool && { required: tool.required ?? [], is_task: tool.is_task === true };
      },
    });
    this.state = outcome.state;
    this.variables = outcome.variables;
    this.effects.push(...outcome.effects);
    this.trace.push(...outcome.trace);
    this.between(this);
    return outcome;
  }

  #called(name: string, given: PathMembers): WorkflowEvent {
    try {
      return { type: "called", result: this.tools[name]?.answer(given) ?? null, error: null };
    } catch (error) {
      return { type: "called", result: null, error: String(error) };
    }
  }

  start(): PathMembers | null {
    return this.send({ type: "activate" });
  }

  submit(given: PathMembers = {}): PathMembers | null {
    return this.send({ type: "submit", arguments: given });
  }

  get said(): string[] {
    return this.effects.flatMap((effect) => (effect.type === "say" ? [effect.text] : []));
  }

  get called(): [string, PathMembers][] {
    return this.effects.flatMap((effect) =>
      effect.type === "call" ? [[effect.tool, effect.arguments] as [string, PathMembers]] : [],
    );
  }

  get notes(): string[] {
    return this.trace.flatMap((row) => (row.category === "note" ? [row.label] : []));
  }
}

/** A steps task; each step has a goal, and the task is called `submit`. */
export const steps = (list: object[], more: object = {}): object => ({
  type: "steps",
  tool: { name: "submit" },
  steps: list.map((step) => ({ goal: "g", ...step })),
  ...more,
});

/** A worked example: an address is asked for until it is one, three times at most. */
export const ADDRESS_AND_TIME = steps([
  {
    id: "ASK_EMAIL",
    goal: "Get the e-mail address",
    instructions: [
      "Ask {{ vars.name }} for the e-mail address.",
      { if: "local.tries > `0`", text: "It was wrong {{ local.tries }} time(s); spell it out." },
    ],
    inputs: [{ name: "email", type: "string", description: "E-mail address" }],
    on: {
      start: [{ action: "set", name: "local.tries", value: 0 }],
      presubmit: [
        {
          action: "set",
          name: "local.ok",
          valueFrom: { type: "cel", expression: 'has(inputs.email) && inputs.email.contains("@")' },
        },
      ],
      submit: [
        { action: "inc", name: "local.tries", if: "local.ok == `false`" },
        {
          action: "say",
          text: "That does not look like an address.",
          if: "local.ok == `false` && local.tries < `3`",
        },
        { action: "save", inputs: ["email"], if: "local.ok" },
      ],
    },
    next: [
      { id: "ASK_TIME", if: "local.ok", requires: ["email"] },
      { id: "GIVE_UP", if: "local.tries >= `3`" },
      "ASK_EMAIL",
    ],
  },
  {
    id: "ASK_TIME",
    goal: "Get a time",
    instructions: ["Ask when to reach {{ email }}."],
    inputs: [
      { name: "when", type: "string", enum: ["morning", "afternoon", "evening"], description: "Time of day" },
    ],
    next: [{ id: "MAIL", if: "when == 'evening'" }, "CALL"],
  },
  { id: "MAIL", goal: "Promise a mail", instructions: ["Say that a mail will come."] },
  { id: "CALL", goal: "Promise a call", instructions: ["Say that a call will come."] },
  {
    id: "GIVE_UP",
    goal: "Close",
    on: { enter: [{ action: "say", text: "Let us leave it at that, {{ vars.name }}." }] },
  },
]);
