import type { Step, StepsTask } from "../api-types.ts";
import { differences } from "../changes/differences.ts";
import { renameStep } from "./step-edits.ts";

type Merging = { began: StepsTask; mine: StepsTask; theirs: StepsTask };

/**
 * Three states of a task in which a step that one of two people renamed has its new name everywhere, so that it is merged
 * as the one step it is. Both renamed it: mine stays, and the step is told.
 */
export function alignRenamed(given: Merging, conflicts: string[]): Merging {
  const [byMe, byThem] = [renamedSteps(given.began, given.mine), renamedSteps(given.began, given.theirs)];
  let { began, mine, theirs } = given;
  for (const from of new Set([...byMe.keys(), ...byThem.keys()])) {
    const own = byMe.get(from);
    const other = byThem.get(from);
    const to = (own ?? other) as string;
    // Removed by one of them, or the name is another step's by now: each is merged for itself.
    const isMerged =
      own !== undefined
        ? hasStep(theirs, other ?? from) && (own === other || !hasStep(theirs, own))
        : hasStep(mine, from) && !hasStep(mine, to);
    if (!isMerged) continue;
    began = renameStep(began, from, to);
    if (own === undefined) mine = renameStep(mine, from, to);
    else theirs = renameStep(theirs, other ?? from, to);
    if (own !== undefined && other !== undefined && own !== other) conflicts.push(`step ${to}.name`);
  }
  return { began, mine, theirs };
}

const hasStep = ({ steps = [] }: StepsTask, id: string): boolean => steps.some((step) => step.id === id);

/**
 * By their old names the new ones of steps that are the same for sure: one name is gone and one is new, and these two
 * steps, and no others, are alike.
 */
function renamedSteps(before: StepsTask, after: StepsTask): Map<string, string> {
  const gone = (before.steps ?? []).filter(({ id }) => !hasStep(after, id));
  const added = (after.steps ?? []).filter(({ id }) => !hasStep(before, id));
  return new Map(
    gone.flatMap((old): [string, string][] => {
      const [found, ...more] = added.filter((step) => isAlike(old, step));
      const isOnly =
        found !== undefined && more.length === 0 && gone.filter((each) => isAlike(each, found)).length === 1;
      return isOnly ? [[old.id, found.id]] : [];
    }),
  );
}

/** The same goal, or the same in all but the name and what comes next. */
const isAlike = (one: Step, other: Step): boolean =>
  (one.goal.trim() !== "" && one.goal === other.goal) ||
  differences(withoutNames(one), withoutNames(other)).length === 0;

const withoutNames = ({ id: _, next: __, ...step }: Step): object => step;
