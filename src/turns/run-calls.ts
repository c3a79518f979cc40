import type { SnapshotTool } from "../agents/snapshot.ts";
import { publicText } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import { storableJson } from "../base/storable.ts";
import type { Lookup } from "../expressions/template.ts";
import type { ToolCall } from "../llm/model.ts";
import { runTool } from "../tool-calls/run-tool.ts";
import { failed, type ToolContext, type ToolOutcome } from "../tool-calls/tool-outcome.ts";
import type { SessionTask } from "../workflows/workflow-state.ts";
import { applyEffects } from "./draft/apply-effects.ts";
import type { FinishedCall } from "./draft/finished-call.ts";
import type { Offering, ToolHandler } from "./offered-tools.ts";
import { gateCall } from "./safety/call-gate.ts";
import { soundCalls } from "./sound-calls.ts";
import type { TurnDriver } from "./turn-driver.ts";
import { type TaskReply, Workflows } from "./workflow-turn.ts";

/** After this many calls with invalid arguments the model is told to stop trying. */
const MAX_REPAIRS = 2;
/** The round of calls that a workflow makes before the first request to the model. */
const BEFORE_ROUNDS = -1;

/** Runs the tool calls of a turn, by the model and by workflows, and adds their results to it. */
export class CallRunner {
  readonly workflows: Workflows;
  readonly #turn: TurnDriver;
  #round = BEFORE_ROUNDS;
  #repairs = 0;
  /** A call was read back to the person, who has to answer before anything else is done. */
  awaitsPerson = false;

  /** `listening`: whether the channel can play words at once, which it can't yet when a session opens. */
  constructor(turn: TurnDriver, { listening = true }: { listening?: boolean } = {}) {
    this.#turn = turn;
    this.workflows = new Workflows({
      snapshot: turn.session.snapshot,
      memory: () => turn.memory,
      remember: (change) => turn.change((draft) => draft.remember(change)),
      system: () => turn.surroundings().system,
      watch: turn.input.debug?.watch,
      say: (text) => turn.change((draft) => draft.say(text)),
      hear: (text) => turn.change((draft) => draft.hear(text)),
      trace: (entries) => turn.trace(...entries),
      sendWords: () => (listening ? turn.sendWords() : Promise.resolve()),
      inject: (tool, given) => this.#inject(tool, given),
      recordCall: async (task, given, reply) => {
        const seq = turn.change((draft) => draft.nextSeq());
        return this.#runTask(seq, syntheticCall(task.tool_name ?? task.key, given), task, reply);
      },
    });
  }

  /**
   * The calls of one answer of the model. Tools run concurrently, and their effects are applied in the order of the calls.
   * Then tasks run one after the other, and last the submission, so that it sees everything called together with it.
   */
  async runRound(round: number, calls: ToolCall[], offering: Offering): Promise<void> {
    const turn = this.#turn;
    this.#round = round;
    const known = turn.history.flatMap((entry) => (entry.kind === "call" ? [entry.call_id] : []));
    const sound = soundCalls(calls, known);
    if (sound.note) turn.note(sound.note);
    const answered = sound.calls.map((given) => {
      const call = this.workflows.withKnown(storableJson(given), offering);
      return { call, answerer: offering.answerers.get(call.name) };
    });
    const plain = answered.filter(({ answerer }) => answerer === undefined || answerer.kind === "tool");
    const run = ({ call, answerer }: (typeof plain)[number]) => this.#run(toolOf(answerer), call);
    const ran = turn.input.debug ? await oneAfterAnother(plain, run) : await Promise.all(plain.map(run));
    for (const { effects, ...finished } of ran) {
      turn.change((draft) => {
        draft.finishCall({ seq: draft.nextSeq(), ...finished });
        applyEffects(draft, effects, finished.tool);
      });
    }

    const tasks = answered.filter(({ answerer }) => answerer !== undefined && answerer.kind !== "tool");
    let submitted = false;
    for (const { call, answerer } of tasks.toSorted((a, b) => rank(a.answerer) - rank(b.answerer))) {
      const isSubmission = rank(answerer) > 0;
      const seq = turn.change((draft) => draft.nextSeq());
      await this.#runTask(seq, call, taskOf(answerer), () => {
        if (call.arguments_error) return Promise.resolve(refused(call.arguments_error));
        if (isSubmission && submitted) return Promise.resolve(SUBMITTED_ALREADY);
        submitted ||= isSubmission;
        return answerer?.kind === "task"
          ? this.workflows.submit(answerer.live.task, call.arguments)
          : this.workflows.goToStep(call.arguments.step_id);
      });
    }
  }

  async #runTask(
    seq: number,
    call: ToolCall,
    task: SessionTask | undefined,
    reply: () => Promise<TaskReply>,
  ): Promise<TaskReply> {
    const turn = this.#turn;
    const started = turn.engine.clock.now();
    const before = performance.now();
    turn.announceCall(call);
    const answer = await reply();
    const finished = {
      round: this.#round,
      call,
      tool: task?.tool,
      outcome: { prepared: null, request: null, result: answer.result, error: answer.error, trace: [] },
      started,
      duration_ms: performance.now() - before,
    };
    turn.announceResult(finished);
    turn.change((draft) => draft.finishCall({ seq, ...finished }));
    return answer;
  }

  async #inject(tool: SnapshotTool, given: Record<string, unknown>) {
    const turn = this.#turn;
    const seq = turn.change((draft) => draft.nextSeq());
    const { effects, ...finished } = await this.#run(tool, syntheticCall(tool.name, given), "workflow");
    turn.change((draft) => {
      draft.finishCall({ seq, ...finished });
      applyEffects(draft, effects, tool);
    });
    return { result: finished.outcome.whole ?? finished.outcome.result, error: finished.outcome.error };
  }

  /** A turn that is debugged can stop before a call, and its author can answer in the tool's place. */
  #stopBefore(call: ToolCall): ToolOutcome | null {
    const turn = this.#turn;
    const { debug } = turn.input;
    if (!debug) return null;
    const { variables, outcome } = debug.beforeCall(call, turn.memory.variables);
    if (Object.keys(variables).length > 0)
      turn.change((draft) => draft.remember({ variables: { ...turn.memory.variables, ...variables } }));
    return outcome;
  }

  /** Takes its place among the calls at once, so that calls that run together are counted one after the other. */
  #gate(by: "model" | "workflow", lookup: Lookup): ToolContext["gate"] {
    const turn = this.#turn;
    return (tool, { given, values }) => {
      const { refusal, memory, note } = gateCall(
        { tool, given, values, lookup },
        {
          memory: turn.memory.safety,
          rules: turn.session.snapshot.safety,
          turn_index: turn.turn_index,
          said: turn.input.text,
          by,
        },
      );
      if (memory !== turn.memory.safety && Object.keys(memory).length > 0)
        turn.change((draft) => draft.remember({ safety: memory }));
      if (note) turn.note(note);
      if (refusal?.awaits_person) this.awaitsPerson = true;
      return refusal;
    };
  }

  async #run(tool: SnapshotTool | undefined, call: ToolCall, by: "model" | "workflow" = "model") {
    const { engine, session } = this.#turn;
    const given = this.#stopBefore(call);
    this.#turn.announceCall(call);
    const started = engine.clock.now();
    const before = performance.now();
    let outcome: ToolOutcome;
    try {
      const context = this.#turn.context();
      const gate = this.#gate(by, context.lookup);
      const run = async () =>
        tool
          ? runTool(engine, { ...context, ...(gate && { gate }) }, tool, call)
          : failed(`There is no tool named ${call.name} now.`);
      const { debug } = this.#turn.input;
      outcome = given ?? (await (debug ? debug.call(run) : run()));
    } catch (error) {
      // An internal error is logged, and the session continues.
      const log = engine.log.child({ session_id: session.id, tool: call.name });
      outcome = failed("The tool failed unexpectedly.");
      outcome.error += ` ${publicText(error, log, "a tool call failed unexpectedly")}`;
    }
    const { effects, ...shown } = { ...outcome, result: storableJson(outcome.result) };
    const finished: Omit<FinishedCall, "seq"> = {
      round: this.#round,
      call,
      tool,
      outcome: shown,
      started,
      duration_ms: performance.now() - before,
    };
    this.#turn.announceResult(finished);
    if (shown.error?.startsWith("Invalid arguments") && ++this.#repairs > MAX_REPAIRS) {
      const message = `${shown.error} Don't call this tool again now; tell the person.`;
      shown.result = { error: { message } };
    }
    return { ...finished, effects };
  }
}

const toolOf = (answerer: ToolHandler | undefined): SnapshotTool | undefined =>
  answerer?.kind === "tool" ? answerer.tool : undefined;

const taskOf = (answerer: ToolHandler | undefined): SessionTask | undefined =>
  answerer?.kind === "task" ? answerer.live.task : undefined;

/** The submission of a step comes last. */
const rank = (answerer: ToolHandler | undefined): number =>
  answerer?.kind === "go_to_step" || (answerer?.kind === "task" && answerer.live.task.task.type === "steps")
    ? 1
    : 0;

async function oneAfterAnother<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

const syntheticCall = (name: string, given: Record<string, unknown>): ToolCall => ({
  id: `call_${randomBase62(24)}`,
  name,
  arguments: given,
});

const refused = (message: string): TaskReply => ({
  type: "reply",
  result: { status: "error", message },
  error: message,
});
const SUBMITTED_ALREADY = refused("one submission per turn");
