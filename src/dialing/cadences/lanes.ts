import { type CadenceStep, MOST_STEPS } from "../../planning/cadences/cadence.ts";
import type { DueBatch } from "../due-batches.ts";

/*
 * A batch of a campaign with steps is examined in lanes: one for each step, and the campaign's own last. A lane is the
 * batch as that step sees it: its channel, its source and agent. So a step goes through its own channel's rules, and a
 * channel that is held up holds up no other. All lanes share the batch's pace, and start one attempt between them.
 */

/** The lanes of a batch, steps first: who waits for a step has waited longest. */
export const lanesOf = (batch: DueBatch): DueBatch[] =>
  batch.cadence === null
    ? [batch]
    : [...Array.from({ length: MOST_STEPS }, (_, index) => laneOf(batch, index + 1)), batch];

/** The batch as a step sees it; 0: the campaign's own. */
export function laneOf(batch: DueBatch, number: number): DueBatch {
  const step = batch.cadence?.[number - 1];
  if (number === 0 || batch.cadence === null) return batch;
  // People who wait for a step that was taken out of the campaign are looked at as well, to end what they wait for.
  if (step === undefined) return { ...batch, step: number };
  const sender = batch.step_senders?.[number - 1] ?? null;
  return {
    ...batch,
    step: number,
    sender,
    agent_most: sender?.agent_most ?? null,
    campaign: {
      ...batch.campaign,
      ...(reachesTarget(step, batch) ? {} : NO_FILTERS),
      mode: step.mode,
      agent_id: sender?.agent_id ?? null,
      caller_id: null,
      number_group_id: null,
      retry_count: 0,
    },
  };
}

/** The lookups of a request are of its own number. */
const reachesTarget = ({ mode, address }: CadenceStep, { campaign }: DueBatch): boolean =>
  address === null && mode !== "email" && campaign.mode !== "email";

const NO_FILTERS = { target_filters: null, allowed_line_types: null };

export const laneName = ({ batch_key, step }: Pick<DueBatch, "batch_key" | "step">): string =>
  step === 0 ? String(batch_key) : `${batch_key}/${step}`;

/** False: the step was taken out of the campaign while people waited for it. */
export const hasStep = ({ step, cadence }: DueBatch): boolean => step <= (cadence?.length ?? 0);
