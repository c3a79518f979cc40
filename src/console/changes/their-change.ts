import { type Difference, differences } from "./differences.ts";
import { type LastChange, lastChange } from "./last-change.ts";
import { conflicts, type MergeInside, type Together } from "./merge.ts";

/** What somebody else saved since the form began, who it was, and the fields that this form changes too. */
export type Theirs = LastChange & { changes: Difference[]; conflicts: string[] };

/** `stored` was read just now, and `now` are the form's values of it. */
export function theirChange<Values extends object>(
  stored: object,
  { began, mine, now }: { began: Values; mine: Values; now: Values },
  together?: Together,
  inside?: MergeInside,
): Theirs {
  return {
    ...lastChange(stored),
    changes: differences(began, now),
    conflicts: conflicts(began, mine, now, together, inside),
  };
}
