import { callingCodeOfNumber } from "../../base/destination.ts";
import { placeOf } from "../../geography/person-zones.ts";

/** How near one of our numbers is to the number that is called, the nearest first. */
export const NUMBER_MATCHES = ["area", "state", "zone", "prefix", "country", "code", "none"] as const;
export type NumberMatch = (typeof NUMBER_MATCHES)[number];

/** `rank`: the lower, the nearer. `digits`: how many national digits are the same, of a match by prefix. */
export type Nearness = { match: NumberMatch; digits: number; rank: number };

/** Outside North America. Area codes are rarely longer, and digits behind them say nothing of a place. */
const MOST_DIGITS = 4;

const nearness = (match: NumberMatch, digits = 0): Nearness => ({
  match,
  digits,
  rank: NUMBER_MATCHES.indexOf(match) * (MOST_DIGITS + 1) - digits,
});

/**
 * In North America the same area code, then the same state, then a common zone of the same country, then the country.
 * Elsewhere, within one calling code, by how many digits behind it are the same. Numbers are E.164. Pure.
 */
export function nearnessOf(number: string, target: string): Nearness {
  if (number.startsWith("+1") && target.startsWith("+1")) return northAmerican(number, target);
  const code = callingCodeOfNumber(number);
  if (code === null || code !== callingCodeOfNumber(target)) return nearness("none");
  const digits = commonDigits(number.slice(code.length + 1), target.slice(code.length + 1));
  return digits === 0 ? nearness("country") : nearness("prefix", digits);
}

function northAmerican(number: string, target: string): Nearness {
  if (number.slice(2, 5) === target.slice(2, 5)) return nearness("area");
  const [ours, theirs] = [number, target].map((each) => placeOf({ timezone: null, target: each }, "UTC"));
  const [, country, state] = ours?.jurisdictions ?? [];
  const [, their_country, their_state] = theirs?.jurisdictions ?? [];
  if (country === undefined || country !== their_country) return nearness("code");
  if (state !== undefined && state === their_state) return nearness("state");
  return ours?.zones.some((zone) => theirs?.zones.includes(zone)) ? nearness("zone") : nearness("country");
}

function commonDigits(one: string, other: string): number {
  let digits = 0;
  while (digits < MOST_DIGITS && digits < one.length && one[digits] === other[digits]) digits++;
  return digits;
}
