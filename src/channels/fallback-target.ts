import { type DestinationRules, refusalOf } from "../base/destination.ts";
import { normalisePhone, regionOf } from "./address.ts";

/**
 * Why a call to `number` is not connected with this fallback target, as a sentence without its point; null: it may be. A
 * national number is read as in the country of `number`. Pure.
 */
export function fallbackRefusal(
  fallback_target: string,
  number: string,
  destinations: DestinationRules,
): string | null {
  return refusalOf(normalisePhone(fallback_target, regionOf(number)) ?? fallback_target, destinations);
}
