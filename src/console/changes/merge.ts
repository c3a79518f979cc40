import { differences } from "./differences.ts";

/** Groups of fields that only make sense together: a change of one counts as a change of all. */
export type Together = readonly (readonly string[])[];

/**
 * Three-way merge of two people's changes to the same values, field by field. A field that both changed stays mine;
 * texts and lists are not merged inside.
 */
export function mergeChanges<Values extends object>(
  began: Values,
  mine: Values,
  theirs: Values,
  together: Together = [],
): Values {
  const isMine = changedBy(began, mine, together);
  const names = Object.keys(mine) as (keyof Values & string)[];
  return Object.fromEntries(names.map((name) => [name, (isMine(name) ? mine : theirs)[name]])) as Values;
}

/** The fields that both changed, to different values. */
export function conflicts<Values extends object>(
  began: Values,
  mine: Values,
  theirs: Values,
  together: Together = [],
): string[] {
  const isMine = changedBy(began, mine, together);
  const isTheirs = changedBy(began, theirs, together);
  const differs = changedBy(mine, theirs, together);
  return Object.keys(mine).filter((name) => isMine(name) && isTheirs(name) && differs(name));
}

function changedBy<Values extends object>(before: Values, after: Values, together: Together) {
  const isChanged = (name: string): boolean =>
    differences(before[name as keyof Values], after[name as keyof Values]).length > 0;
  return (name: string): boolean =>
    (together.find((names) => names.includes(name)) ?? [name]).some((each) => isChanged(each));
}
