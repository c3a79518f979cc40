import type { ValidationIssue } from "../api/schema.ts";
import { type Experiment, isDraft, isRunning } from "./experiment.ts";

const DAY_minutes = 24 * 60;
/** As long as most experiments run until a difference can be told. */
const USUAL_days = 30;

/** How long its ramp takes by itself, at the least. */
const rampDays = ({ ramp }: Pick<Experiment, "ramp">): number =>
  (ramp ?? []).slice(1).reduce((sum, { after_minutes }) => sum + (after_minutes ?? 0), 0) / DAY_minutes;

/** Whether retention may take sessions before their stage is over (decision 0274). `kept_days` null: none are deleted. Pure. */
export function retentionFindings(
  experiment: Pick<Experiment, "ramp" | "status">,
  kept_days: number | null,
): ValidationIssue[] {
  const { status } = experiment;
  const isOver = !isDraft(status) && !isRunning(status);
  const ramp_days = rampDays(experiment);
  if (kept_days === null || isOver || kept_days >= Math.max(USUAL_days, ramp_days)) return [];
  const days = `${kept_days} ${kept_days === 1 ? "day" : "days"}`;
  const ramp = ramp_days > kept_days ? ` The ramp takes ${Math.ceil(ramp_days)} days.` : "";
  return [
    {
      id: "retention-shorter-than-experiment",
      severity: "warning",
      message: `Retention deletes this agent's sessions after ${days}. A stage that runs longer, and its guardrails, miss the deleted ones.${ramp} Keep sessions for longer than the experiment runs.`,
    },
  ];
}
