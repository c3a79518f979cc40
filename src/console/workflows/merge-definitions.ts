import type { StepsTask } from "../api-types.ts";
import { differences } from "../changes/differences.ts";
import { alignRenamed } from "./step-renames.ts";

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Steps are told apart by their names; another list is one value. */
const isSteps = (value: unknown): value is (Members & { id: string })[] =>
  Array.isArray(value) &&
  value.every((each) => isObject(each) && typeof each.id === "string") &&
  new Set(value.map(({ id }) => id)).size === value.length;

const isTask = (value: unknown): value is StepsTask & Members => isObject(value) && isSteps(value.steps);

const isSame = (one: unknown, other: unknown): boolean => differences(one, other).length === 0;

/**
 * Three-way merge of a tool's definition: what only one of two people changed is taken from them, down to the fields of each
 * step, also of one that was renamed. What both changed stays mine, and its place is told. A step that one removed and the
 * other changed stays.
 */
export function mergeDefinitions(
  began: unknown,
  mine: unknown,
  theirs: unknown,
): { value: unknown; conflicts: string[] } {
  const conflicts: string[] = [];
  return { value: merged(began, mine, theirs, [], conflicts), conflicts };
}

function merged(
  began: unknown,
  mine: unknown,
  theirs: unknown,
  path: readonly string[],
  conflicts: string[],
): unknown {
  if (isSame(mine, began)) return theirs;
  if (isSame(theirs, began) || isSame(mine, theirs)) return mine;
  if (isTask(began) && isTask(mine) && isTask(theirs)) {
    const named = alignRenamed({ began, mine, theirs }, conflicts);
    return mergedMembers(named.began, named.mine, named.theirs, path, conflicts);
  }
  if (isObject(began) && isObject(mine) && isObject(theirs))
    return mergedMembers(began, mine, theirs, path, conflicts);
  if (path.at(-1) === "steps" && isSteps(began) && isSteps(mine) && isSteps(theirs))
    return mergedSteps(began, mine, theirs, conflicts);
  conflicts.push(path.join("."));
  return mine;
}

function mergedMembers(
  began: Members,
  mine: Members,
  theirs: Members,
  path: readonly string[],
  conflicts: string[],
): Members {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = merged(began[name], mine[name], theirs[name], [...path, name], conflicts);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

type NamedStep = Members & { id: string };

/** In my order where I changed it, else in theirs; what only the other one has comes behind. */
function mergedSteps(
  began: NamedStep[],
  mine: NamedStep[],
  theirs: NamedStep[],
  conflicts: string[],
): NamedStep[] {
  const [was, own, other] = [began, mine, theirs].map(
    (steps) => new Map(steps.map((step) => [step.id, step])),
  );
  const idsOf = (steps: NamedStep[]) => steps.map(({ id }) => id);
  const first = isSame(idsOf(mine), idsOf(began)) ? theirs : mine;
  const ids = new Set([...idsOf(first), ...idsOf(mine), ...idsOf(theirs)]);
  return [...ids].flatMap((id) => {
    const [before, ours, others] = [was?.get(id), own?.get(id), other?.get(id)];
    if (ours && others) return [merged(before ?? {}, ours, others, [`step ${id}`], conflicts) as NamedStep];
    const kept = (ours ?? others) as NamedStep;
    if (!before) return [kept];
    // One of them removed it.
    if (isSame(kept, before)) return [];
    conflicts.push(`step ${id}`);
    return [kept];
  });
}
