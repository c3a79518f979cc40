import { differences } from "./differences.ts";

/** Fields that only make sense with each other: whoever changes one of them has changed all. */
export type Together = readonly (readonly string[])[];

/**
 * Two people began with the same values: what each field becomes when the other's changes are taken in. A field that
 * both changed stays mine. A field is a whole: within a text or a list nothing is mixed.
 */
export function takeIn<Values extends object>(
  began: Values,
  mine: Values,
  theirs: Values,
  together: Together = [],
): Values {
  const isMine = changedBy(began, mine, together);
  const names = Object.keys(mine) as (keyof Values & string)[];
  return Object.fromEntries(names.map((name) => [name, (isMine(name) ? mine : theirs)[name]])) as Values;
}

/** The fields that both changed, and not to the same. */
export function clashes<Values extends object>(
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
