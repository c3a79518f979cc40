import type { NumbersLeft } from "../steps/batch-step.ts";
import { type NumberMatch, nearnessOf } from "./local-presence.ts";

/** A group as far as choosing a number depends on it. `daily_cap`: of each number; null: none. */
export type NumberRules = { name: string; daily_cap: number | null; local_presence: boolean };

/** A number of a group, as of now. */
export type PoolNumber = {
  id: number;
  /** E.164, with or without its "+". */
  number: string;
  /** Attempts from it on the day that runs. */
  uses: number;
  /** The end of its last rest, which may have passed. */
  resting_until: Date | null;
  /** Until then too much failed from it, or its carrier refuses it (planning/breaker.ts). */
  paused_until: Date | null;
  /** Further attempts that may run from it at once. */
  free_lines: number;
};

/** `match`: null where the group keeps no local presence. `use`: which of the day's it is, from 1. */
export type NumberChoice = {
  id: number;
  number: string;
  match: NumberMatch | null;
  use: number;
  cap: number | null;
};

type State = "free" | "resting" | "capped" | "paused" | "busy";

function stateOf({ daily_cap }: NumberRules, number: PoolNumber, now: Date): State {
  if (number.resting_until !== null && number.resting_until > now) return "resting";
  if (daily_cap !== null && number.uses >= daily_cap) return "capped";
  if (number.paused_until !== null && number.paused_until > now) return "paused";
  return number.free_lines > 0 ? "free" : "busy";
}

export const isFree = (rules: NumberRules, number: PoolNumber, now: Date): boolean =>
  stateOf(rules, number, now) === "free";

/**
 * The number that an attempt to `target` shows: of those that are free the nearest, of these the one least used on the
 * day. `seed` decides between equals, as a place in the order of their ids. Null: none is free (`numbersLeft` says why).
 * Pure, and the same for the same input in any order.
 */
export function chooseNumber(
  rules: NumberRules,
  numbers: readonly PoolNumber[],
  target: string,
  seed: number,
  now: Date,
): NumberChoice | null {
  const free = numbers.filter((number) => isFree(rules, number, now));
  if (free.length === 0) return null;
  const near = free.map((each) => ({
    each,
    found: rules.local_presence ? nearnessOf(withPlus(each.number), target) : null,
  }));
  const nearest = Math.min(...near.map(({ found }) => found?.rank ?? 0));
  const best = near.filter(({ found }) => (found?.rank ?? 0) === nearest);
  const least = Math.min(...best.map(({ each }) => each.uses));
  const equals = best
    .filter(({ each }) => each.uses === least)
    .toSorted((one, other) => one.each.id - other.each.id);
  const { each, found } = equals[Math.abs(Math.trunc(seed)) % equals.length] as (typeof equals)[number];
  return {
    id: each.id,
    number: each.number,
    match: found?.match ?? null,
    use: each.uses + 1,
    cap: rules.daily_cap,
  };
}

const withPlus = (number: string): string => (number.startsWith("+") ? number : `+${number}`);

/** The same for everybody who is called: whether any number is free, and why none is. `day_ends`: of the group's zone. */
export function numbersLeft(
  rules: NumberRules,
  numbers: readonly PoolNumber[],
  day_ends: Date,
  now: Date,
): NumbersLeft {
  const left: NumbersLeft = {
    group: rules.name,
    cap: rules.daily_cap,
    free: 0,
    resting: 0,
    capped: 0,
    paused: 0,
    busy: 0,
    until: null,
  };
  const free_at: (Date | null)[] = [];
  for (const number of numbers) {
    const state = stateOf(rules, number, now);
    left[state] += 1;
    free_at.push(freeAt(state, number, day_ends));
  }
  const isAnySoon = left.free > 0 || left.busy > 0 || numbers.length === 0;
  left.until = isAnySoon ? null : new Date(Math.min(...free_at.map((at) => (at as Date).getTime())));
  return left;
}

/** Null: at any time. */
function freeAt(state: State, { resting_until, paused_until }: PoolNumber, day_ends: Date): Date | null {
  switch (state) {
    case "resting":
      return resting_until;
    case "paused":
      return paused_until;
    case "capped":
      return day_ends;
    default:
      return null;
  }
}

/** A number between 0 and 2³², the same for the same text (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

const WORDS: Record<NumberMatch, string> = {
  area: "the area code of the person's number",
  state: "the state of the person's number",
  zone: "the time zone of the person's number",
  prefix: "the first digits of the person's number",
  country: "the country of the person's number",
  code: "the calling code of the person's number",
  none: "no number of the group is nearer to the person's",
};

/** What an attempt keeps of the choice. */
export type StoredChoice = Omit<NumberChoice, "id" | "number"> & { group: string };

/** `From +15125550100 of the group Austin: the area code of the person's number, use 4 of 50 that day.` */
export function choiceText(number: string, { group, match, use, cap }: StoredChoice): string {
  const why = match === null ? "the least used one" : WORDS[match];
  return `From ${number} of the group ${group}: ${why}; use ${use}${cap === null ? "" : ` of ${cap}`} that day.`;
}
