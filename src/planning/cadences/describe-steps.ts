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

type Described = {
  mode: Mode;
  source: string | null;
  steps: readonly CadenceStep[];
  request: {
    step: number;
    target: string;
    due_at: string | null;
    log: readonly StepLogEntry[];
    isWaiting: boolean;
    isOver: boolean;
  };
  /** The steps that were tried. */
  tried: ReadonlySet<number>;
  targetOf(step: CadenceStep): string | null;
};

/** Each step of a request, for its page; none where the campaign has but its own. Pure. */
export function describeSteps({ mode, source, steps, request, tried, targetOf }: Described): StepView[] {
  if (steps.length === 0) return [];
  const own: Omit<StepView, "state" | "at" | "text"> = { number: 1, mode, source, target: request.target };
  const all = [
    own,
    ...steps.map((step, index) => ({ ...own, ...ofStep(step, index), target: targetOf(step) })),
  ];
  return all.map((step, index) => ({ ...step, ...stateOf(index, request, tried) }));
}

const ofStep = ({ mode, source }: CadenceStep, index: number) => ({ number: index + 2, mode, source });

function stateOf(
  index: number,
  { step, due_at, log, isWaiting, isOver }: Described["request"],
  tried: ReadonlySet<number>,
): Pick<StepView, "state" | "at" | "text"> {
  const skipped = log.find((entry) => entry.kind === "skipped" && entry.step === index);
  if (skipped) return { state: "skipped", at: skipped.at, text: skipped.text };
  const none = { at: null, text: null };
  const isCurrent = index === step && !isOver;
  if (isCurrent && isWaiting) return { state: "waiting", at: due_at, text: null };
  if (isCurrent) return { state: "under-way", ...none };
  if (tried.has(index)) return { state: "done", ...none };
  const stopped = log.find((entry) => entry.kind === "stopped");
  if (stopped && index >= stopped.step) return { state: "stopped", at: stopped.at, text: stopped.text };
  return { state: isOver || index < step ? "not-reached" : "later", ...none };
}
