import { wilsonInterval } from "../evaluations/statistics.ts";
import { evidenceAbove, evidenceOfMore, type StageCount } from "./evidence.ts";
import { controlOf, type Experiment, type Guard } from "./experiment.ts";

/** How many people it happened to, for the first time in that stage and with that version. */
export type GuardCount = { guard: Guard; stage: number; version_number: number; people: number };

/** People of the stage in which nobody meets the control, and of the control before it. */
export type PastCount = { version_number: number; guard: Guard; happened: number; people: number };

export type GuardVerdict = {
  guard: Guard;
  version_number: number;
  evidence: number;
  threshold: number;
  is_tripped: boolean;
};

/** Everybody is returned for nothing in at most so many of all experiments, however long they run. */
const FALSE_RETURNS = 0.05;

/** What each guardrail says of each version that is tried; pure. `past` only while nobody meets the control. */
export function judgeGuards(
  { guards, variants, stages }: Pick<Experiment, "guards" | "variants" | "stages">,
  counts: readonly GuardCount[],
  past: readonly PastCount[],
): GuardVerdict[] {
  const control = controlOf(variants);
  const tried = variants.filter(({ is_control }) => !is_control);
  // Each guardrail of each version is tested against the control of its own time and that of the past.
  const threshold = (2 * guards.length * tried.length) / FALSE_RETURNS;
  return guards.flatMap((guard) =>
    tried.map(({ version_number }) => {
      const own = counts.filter((count) => count.guard === guard);
      const evidence = Math.max(
        evidenceOfMore(stageCounts(stages, own, version_number, control)),
        evidenceOfPast(
          past.filter((count) => count.guard === guard),
          version_number,
          control,
        ),
      );
      return { guard, version_number, evidence, threshold, is_tripped: evidence >= threshold };
    }),
  );
}

/** Counts by stage, with the share of the tried version among the two. */
export function stageCounts(
  stages: Experiment["stages"],
  counts: readonly Omit<GuardCount, "guard">[],
  tried: number,
  control: number,
): StageCount[] {
  return stages.map(({ weights }, stage) => {
    const weightOf = (version: number) =>
      weights.find(({ version_number }) => version_number === version)?.weight ?? 0;
    const peopleOf = (version: number) =>
      counts
        .filter((count) => count.stage === stage && count.version_number === version)
        .reduce((sum, { people }) => sum + people, 0);
    const both = weightOf(tried) + weightOf(control);
    return {
      share: both === 0 ? 0 : weightOf(tried) / both,
      tried: peopleOf(tried),
      control: peopleOf(control),
    };
  });
}

/** Against the upper end of the control's interval, since its true rate may be higher than what was seen. */
function evidenceOfPast(past: readonly PastCount[], tried: number, control: number): number {
  const before = past.find(({ version_number }) => version_number === control);
  const now = past.find(({ version_number }) => version_number === tried);
  const limit = before && wilsonInterval(before.happened, before.people)?.high;
  if (!now || limit === undefined || limit >= 1) return 0;
  return evidenceAbove(limit, now.happened, now.people);
}
