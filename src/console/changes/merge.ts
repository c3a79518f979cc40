import { differences } from "./differences.ts";

/** Groups of fields that only make sense together: a change of one counts as a change of all. */
export type Together = readonly (readonly string[])[];

/** How a field is merged inside that two people changed, and the places in it that both changed, as paths below it. */
export type MergeInside = Readonly<
  Record<string, (began: unknown, mine: unknown, theirs: unknown) => { value: unknown; conflicts: string[] }>
>;

/**
 * Three-way merge of two people's changes to the same values, field by field. A field that both changed stays mine, unless
 * `inside` merges it; texts and lists are not merged inside.
 */
export function mergeChanges<Values extends object>(
  began: Values,
  mine: Values,
  theirs: Values,
  together: Together = [],
  inside: MergeInside = {},
): Values {
  const isMine = changedBy(began, mine, together);
  const names = Object.keys(mine) as (keyof Values & string)[];
  const merged = (name: keyof Values & string) =>
    isMine(name) && inside[name]
      ? inside[name](began[name], mine[name], theirs[name]).value
      : (isMine(name) ? mine : theirs)[name];
  return Object.fromEntries(names.map((name) => [name, merged(name)])) as Values;
}

/** The fields that both changed, to different values. */
export function conflicts<Values extends object>(
  began: Values,
  mine: Values,
  theirs: Values,
  together: Together = [],
  inside: MergeInside = {},
): string[] {
  const isMine = changedBy(began, mine, together);
  const isTheirs = changedBy(began, theirs, together);
  const differs = changedBy(mine, theirs, together);
  const both = Object.keys(mine).filter((name) => isMine(name) && isTheirs(name) && differs(name));
  return both.flatMap((name) => {
    const [was, own, other] = [began, mine, theirs].map((values) => values[name as keyof Values]);
    return inside[name]?.(was, own, other).conflicts.map((place) => `${name}.${place}`) ?? [name];
  });
}

function changedBy<Values extends object>(before: Values, after: Values, together: Together) {
  const isChanged = (name: string): boolean =>
    differences(before[name as keyof Values], after[name as keyof Values]).length > 0;
  return (name: string): boolean =>
    (together.find((names) => names.includes(name)) ?? [name]).some((each) => isChanged(each));
}
