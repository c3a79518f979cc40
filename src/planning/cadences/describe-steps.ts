import type { Mode } from "../attempt.ts";
import type { CadenceStep } from "./cadence.ts";
import type { StepLogEntry } from "./step-log.ts";

/** How one step of a request's cadence stands. `number` as people count them: the campaign's own is 1. */
export type StepView = {
  number: number;
  mode: Mode;
  source: string | null;
  /** Where it reaches the person; null: not told yet, or the step has no address. */
  target: string | null;
  state: "done" | "under-way" | "waiting" | "skipped" | "stopped" | "not-reached" | "later";
  /** When it was skipped or stopped, or is due; null: neither. */
  at: string | null;
  /** Why it was skipped or stopped; null: it was not. */
  text: string | null;
};

/** How a step reached its person, as its attempt says: the campaign may have changed since. */
export type TriedStep = Pick<StepView, "mode" | "source" | "target">;

type Described = {
  mode: Mode;
  source: string | null;
  steps: readonly CadenceStep[];
  request: {
    step: number;
    target: string;
    /** Where the step that is next or under way reaches its person. */
    step_target: string;
    due_at: string | null;
    log: readonly StepLogEntry[];
    isWaiting: boolean;
    isOver: boolean;
    /** Why it ends when its turn comes, in a sentence; null: it doesn't. */
    stop: string | null;
  };
  /** By step, the last attempt of each. */
  tried: ReadonlyMap<number, TriedStep>;
  targetOf(step: CadenceStep): string | null;
};

/**
 * Each step of a request, for its page; none where the campaign has but its own. Steps that were tried and taken out of the
 * campaign since are told, too. Pure.
 */
export function describeSteps({ mode, source, steps, request, tried, targetOf }: Described): StepView[] {
  const planned: TriedStep[] = [
    { mode, source, target: request.target },
    ...steps.map((step) => ({ mode: step.mode, source: step.source, target: targetOf(step) })),
  ];
  const count = Math.max(planned.length, ...[...tried.keys()].map((step) => step + 1));
  if (count === 1) return [];
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const state = stateOf(index, request, tried);
    const was = state.state === "done" || state.state === "under-way" ? tried.get(index) : undefined;
    const step = was ?? planned[index];
    if (step === undefined) return [];
    const isCurrent = state.state === "waiting" || state.state === "under-way";
    const target = was === undefined && isCurrent ? request.step_target : step.target;
    return [{ number: index + 1, ...step, target, ...state }];
  });
}

function stateOf(
  index: number,
  { step, due_at, log, isWaiting, isOver, stop }: Described["request"],
  tried: ReadonlyMap<number, TriedStep>,
): Pick<StepView, "state" | "at" | "text"> {
  const skipped = log.find((entry) => entry.kind === "skipped" && entry.step === index);
  if (skipped) return { state: "skipped", at: skipped.at, text: skipped.text };
  const none = { at: null, text: null };
  const isCurrent = index === step && !isOver;
  if (isCurrent && !isWaiting) return { state: "under-way", ...none };
  if (isCurrent && stop === null) return { state: "waiting", at: due_at, text: null };
  if (tried.has(index)) return { state: "done", ...none };
  if (stop !== null && index >= step) return { state: "stopped", at: null, text: isCurrent ? stop : null };
  const stopped = log.find((entry) => entry.kind === "stopped");
  if (stopped && index >= stopped.step) return { state: "stopped", at: stopped.at, text: stopped.text };
  return { state: isOver || index < step ? "not-reached" : "later", ...none };
}
