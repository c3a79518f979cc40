import type { Step } from "../tools/task-definition.ts";
import { isGiven } from "./input-faults.ts";
import type { TaskRun } from "./task-run.ts";
import type { PathMembers } from "./variable-path.ts";

/**
 * What the model reads of a task: the current step only, so that it can't run ahead. What was to be said is among it,
 * as spoken already.
 */
export function renderStep(run: TaskRun): PathMembers {
  const { state, step } = run;
  const say = state.say;
  run.update({ say: [] });
  if (state.status === "completed" || !step) {
    return {
      status: "completed",
      step: state.step,
      say,
      ...(state.output !== null && { output: state.output }),
      ...(state.error !== null && { error: state.error }),
    };
  }
  const [pending] = state.pending_calls;
  return {
    status: "active",
    step: step.id,
    goal: run.instruct(step.goal),
    instructions: instructionsOf(run, step),
    say,
    inputs: (step.inputs ?? []).map(({ name, required }) => ({ name, required })),
    collected: Object.fromEntries(Object.entries(state.inputs).filter(([, value]) => isGiven(value))),
    ...(pending && { pending_tool_call: { tool: pending.tool, arguments: pending.arguments } }),
  };
}

/** A submission that was not taken: the step stays, and the model is told what to ask again. */
export function renderRefusal(run: TaskRun, errors: { input: string; message: string }[]): PathMembers {
  const { step } = run;
  const say = run.state.say;
  run.update({ say: [] });
  return {
    status: "error",
    step: run.state.step,
    errors,
    instructions: step ? instructionsOf(run, step) : [],
    ...(say.length > 0 && { say }),
  };
}

function instructionsOf(run: TaskRun, step: Step): string[] {
  return (step.instructions ?? []).flatMap((item, index) => {
    if (typeof item === "string") return [run.instruct(item)];
    return run.holds(item.if, `instructions.${index}`) ? [run.instruct(item.text)] : [];
  });
}
