import { type TraceEntry, traced } from "../events/trace.ts";
import { compileExpression, type Expression, evaluate } from "../expressions/expression.ts";
import { truthy } from "../expressions/json-value.ts";
import { own } from "../expressions/member.ts";
import { Layer, Scope } from "../expressions/scope.ts";
import { renderDeep, renderTemplate } from "../expressions/template.ts";
import type { InputParameter, Step } from "../tools/task-definition.ts";
import { type Operand, operandsOf } from "./guard-operands.ts";
import { type IsAuthored, instructionLookup } from "./instruction-lookup.ts";
import { type PathMembers, storable, withValue, writePath } from "./variable-path.ts";
import type { SessionTask, TaskState } from "./workflow-state.ts";

/** What a task sees of the session around it. */
export type TaskSurroundings = {
  /** The conversation's variables under their full keys. */
  variables: PathMembers;
  /** The program's own, which nothing overrides. */
  system: PathMembers;
  /**
   * A tool that a task may call, with the arguments it can't do without; undefined when there is none such. `is_task`: it
   * is another task. `steps`: it starts a steps task, whose end a call can wait for.
   */
  callable(name: string): { required: string[]; is_task?: boolean; steps?: boolean } | undefined;
  /** Left out: nothing is the author's, but for what this task sets. */
  isAuthored?: IsAuthored;
  /** Of a turn that is debugged. */
  watch?: TaskWatch;
};

/** Where a task that is debugged can stand still: before it enters a step, and at the condition of a way on. */
export type TaskStop =
  | { kind: "step"; workflow: string; step: string }
  | {
      kind: "guard";
      workflow: string;
      step: string | null;
      /** Where the way on would lead. */
      to: string;
      condition: Expression;
      value: unknown;
      holds: boolean;
      operands: Operand[];
    };

/** What a stopped task knows, under the names that a change may have. */
export type TaskMemory = { variables: PathMembers; local: PathMembers; inputs: PathMembers };

/** Throws in order to stand still there; else gives the values that its author changed at this place. */
export type TaskWatch = (stop: TaskStop, memory: TaskMemory) => PathMembers | null;

/** What the turn has to do for a task, in this order. A `call` is always the last: its result comes back as an event. */
export type TaskEffect =
  /** Spoken word for word. */
  | { type: "say"; text: string }
  /** Enters the conversation as if the user had said it. */
  | { type: "hear"; text: string }
  | { type: "call"; tool: string; arguments: PathMembers; wait?: true }
  /** What the model reads as the result of its call; `error` when the call itself was wrong. */
  | { type: "reply"; result: PathMembers; error: string | null };

export type TaskOutcome = {
  state: TaskState;
  variables: PathMembers;
  effects: TaskEffect[];
  trace: TraceEntry[];
};

/** Names without a value that one row of the trace tells. */
const MOST_NAMES = 20;

/** What expressions and texts can name of a task's state; after it has changed, they need another scope. */
const READABLE = ["local", "inputs", "output", "captured"] as const;

/**
 * One event of one task under way: the state as it becomes, and what is to be done. It reads and writes nothing else, so
 * that the same task, state and event always give the same outcome.
 */
export class TaskRun {
  readonly session: SessionTask;
  readonly around: TaskSurroundings;
  readonly effects: TaskEffect[] = [];
  readonly #trace: TraceEntry[] = [];
  readonly #changes = new Map<string, { before: unknown; after: unknown }>();
  /** The conversation's variables as they were, and over them what was written: the many are not copied for one. */
  readonly #variables: Layer;
  readonly #system: Layer;
  #written: PathMembers = {};
  #state: TaskState;
  #scope: Scope | null = null;
  readonly #withoutValue = new Set<string>();

  constructor(session: SessionTask, state: TaskState, around: TaskSurroundings) {
    this.session = session;
    this.around = around;
    this.#state = state;
    this.#variables = new Layer(around.variables);
    this.#system = new Layer(around.system);
  }

  get state(): TaskState {
    return this.#state;
  }

  update(change: Partial<TaskState>): void {
    this.#state = { ...this.#state, ...change };
    if (READABLE.some((part) => part in change)) this.#scope = null;
  }

  get steps(): readonly Step[] {
    return this.session.task.type === "steps" ? this.session.task.steps : [];
  }

  /** The current step; undefined when the task is not in one. */
  get step(): Step | undefined {
    return this.steps.find(({ id }) => id === this.#state.step);
  }

  /** What may be collected now. */
  get inputs(): readonly InputParameter[] {
    const { task } = this.session;
    return (task.type === "expression" ? task.inputs : this.step?.inputs) ?? [];
  }

  /**
   * Bare names are variables of the conversation. What none of them is called may be a local or an input; what a call
   * captured is meant even then.
   */
  get scope(): Scope {
    if (this.#scope) return this.#scope;
    const { local, inputs, output, captured } = this.#state;
    const ours = Object.entries({ ...inputs, ...local }).filter(([name]) => !this.#has(`vars.${name}`));
    const meant = captured.flatMap((name) => (Object.hasOwn(local, name) ? [[name, local[name]]] : []));
    const globals = [
      new Layer(Object.fromEntries(ours)),
      this.#variables,
      new Layer(this.#written),
      new Layer(Object.fromEntries(meant)),
      this.#system,
    ];
    this.#scope = new Scope({ local, inputs, output, globals });
    return this.#scope;
  }

  /** The conversation's variable of this name, whatever the task calls so; undefined: there is none. */
  global(name: string): unknown {
    const globals = [this.#variables, new Layer(this.#written), this.#system];
    return new Scope({ globals }).lookup(name);
  }

  #has(key: string): boolean {
    return Object.hasOwn(this.#written, key) || Object.hasOwn(this.#variables.members, key);
  }

  #variable(key: string): unknown {
    return Object.hasOwn(this.#written, key) ? this.#written[key] : own(this.#variables.members, key);
  }

  /** A value by its name; the trace tells of the names that had none. */
  readonly lookup = (name: string): unknown => {
    const value = this.scope.lookup(name);
    if (value == null) this.#withoutValue.add(name);
    return value;
  };

  /** A text that is said to the person. */
  render(text: string): string {
    return renderTemplate(text, this.lookup);
  }

  /** A text that tells the model what to do. */
  instruct(text: string): string {
    return renderTemplate(text, instructionLookup(this.lookup, this.around.isAuthored));
  }

  /** What `valueFrom` gives, else `value` with its texts rendered; undefined when there is neither. */
  given({ value, valueFrom }: { value?: unknown; valueFrom?: Expression | null | undefined }): unknown {
    if (valueFrom != null) return this.valueOf(valueFrom, this.scope);
    return value === undefined ? undefined : renderDeep(value, this.lookup);
  }

  /** What fails has no value, and the trace says why. */
  valueOf(expression: Expression, root: unknown): unknown {
    const compiled = compileExpression(expression);
    const evaluated = compiled.ok ? evaluate(compiled.expression, root) : compiled;
    if (!("value" in evaluated)) {
      this.note(`an expression failed: ${evaluated.message}`, { expression });
      return null;
    }
    return evaluated.value ?? null;
  }

  /** Whether a condition is true; none always is. */
  holds(condition: Expression | null | undefined, where: string): boolean {
    if (condition == null) return true;
    const value = this.valueOf(condition, this.scope);
    this.#trace.push(
      this.#row("condition", { where, condition, value: traced(value), holds: truthy(value) }),
    );
    return truthy(value);
  }

  /** The condition of a way on, at which a turn that is debugged can stop. */
  guard(condition: Expression | null | undefined, to: string, where: string): boolean {
    if (this.around.watch && condition != null) {
      const value = this.valueOf(condition, this.scope);
      const { key: workflow } = this.session;
      this.stop({
        kind: "guard",
        workflow,
        step: this.#state.step,
        to,
        condition,
        value: traced(value),
        holds: truthy(value),
        operands: operandsOf(condition, this.scope),
      });
    }
    return this.holds(condition, where);
  }

  /** A place where a turn that is debugged can stop; what its author changed there is written. */
  stop(at: TaskStop): void {
    const { watch } = this.around;
    if (!watch) return;
    const { local, inputs } = this.#state;
    const variables = { ...this.#variables.members, ...this.#written };
    for (const [name, value] of Object.entries(watch(at, { variables, local, inputs }) ?? {}))
      this.write(name, value, true);
  }

  /** Sets one value; says in the trace when it can't be set. */
  write(name: string, value: unknown, inputsToo = false) {
    const path = writePath(name, (key) => this.#has(key));
    if (!path.ok) return this.note(path.why);
    if (path.scope === "inputs" && !(inputsToo && this.#declares(path.path[0]))) {
      return this.note(
        `"${name}" can't be written: inputs are set before a submission only, and those of the step.`,
      );
    }
    const stored = storable(value);
    if (!stored) return this.note(`"${name}" was not written: the value is too large.`);
    // An input of the same name is not what a global was before.
    const before = (path.scope === "global" ? this.global(name) : this.scope.lookup(name)) ?? null;
    const root = path.scope === "global" ? this.#variable(path.key) : this.#state[path.scope];
    const written = withValue(root, path.path, stored.value);
    if (!written) return this.note(`"${name}" was not written: there is a plain value in its way.`);
    if (path.scope === "global") {
      this.#written = { ...this.#written, [path.key]: written.root };
      this.#scope = null;
    } else this.update({ [path.scope]: written.root });
    const earlier = this.#changes.get(name) ?? { before: traced(before) };
    this.#changes.set(name, { ...earlier, after: traced(stored.value) });
  }

  #declares(name: string | undefined): boolean {
    return this.inputs.some((input) => input.name === name);
  }

  say(text: string): void {
    if (text.trim() === "") return;
    this.update({ say: [...this.#state.say, text] });
    this.effects.push({ type: "say", text });
  }

  reply(result: PathMembers, error: string | null = null): void {
    this.effects.push({ type: "reply", result, error });
  }

  note(label: string, details: PathMembers = {}): void {
    this.#trace.push({ category: "note", label, details: { workflow: this.session.key, ...details } });
  }

  /** A row of the step's own story: entered, condition, completed. */
  tell(label: string, details: PathMembers = {}): void {
    this.#trace.push(this.#row(label, details));
  }

  #row(label: string, details: PathMembers): TraceEntry {
    const { key } = this.session;
    return { category: "step", label, details: { workflow: key, step: this.#state.step, ...details } };
  }

  outcome(): TaskOutcome {
    if (this.#withoutValue.size > 0)
      this.note(`no value: ${[...this.#withoutValue].slice(0, MOST_NAMES).join(", ")}`);
    if (this.#changes.size > 0) this.tell("variables", { changes: Object.fromEntries(this.#changes) });
    const { members } = this.#variables;
    const variables = Object.keys(this.#written).length > 0 ? { ...members, ...this.#written } : members;
    return { state: this.#state, variables, effects: this.effects, trace: this.#trace };
  }
}
