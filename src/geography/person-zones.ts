import { canonicalTimezone } from "../agents/timezone.ts";
import { countryOf } from "../base/destination.ts";
import { NORTH_AMERICAN_AREAS } from "./north-american-areas.ts";
import { commonPostalArea, POSTAL_REGIONS } from "./postal-area.ts";

/**
 * Where a person may be: the zones of their clock, and the jurisdictions whose rules hold for them, the widest first ("*",
 * "US", "US-CA"). A start must be legal in all of them.
 */
export type PersonPlace = {
  zones: readonly string[];
  jurisdictions: readonly string[];
  from: "request" | "contact" | "postal-code" | "number" | "campaign";
};

type Area = { zones: readonly string[]; jurisdictions: readonly string[] };

const EVERYWHERE = "*";

const areas = new Map<string, Area>(
  NORTH_AMERICAN_AREAS.flatMap(([region, zones, codes]) => {
    const country = region.slice(0, 2);
    const jurisdictions = [EVERYWHERE, country, ...(region === country ? [] : [region])];
    const area = { zones: zones.split(" "), jurisdictions };
    return codes.split(" ").map((code) => [code, area] as const);
  }),
);

/** By country, or calling code where a number is of no country. */
const countries = new Map<string, Area>();

function areaOfCountry(country: string): Area {
  const known = countries.get(country);
  if (known) return known;
  // A number of the plan whose country is not known may be in any zone of the two largest.
  const zones =
    country === "+1" ? [...zonesOfCountry("US"), ...zonesOfCountry("CA")] : zonesOfCountry(country);
  const area = { zones, jurisdictions: country === "" ? [EVERYWHERE] : [EVERYWHERE, country] };
  countries.set(country, area);
  return area;
}

const zonesOfCountry = (country: string): string[] =>
  /^[A-Z]{2}$/.test(country) ? (new Intl.Locale(`und-${country}`).getTimeZones() ?? []) : [];

function areaOf(number: string): Area {
  const known = number.startsWith("+1") ? areas.get(number.slice(2, 5)) : undefined;
  return known ?? areaOfCountry(number.startsWith("+") ? countryOf(number) : "");
}

/** What is known of where a person is. */
export type Whereabouts = {
  /** As the request says; null: it says nothing. */
  timezone: string | null;
  contact_timezone?: string | null;
  /** As the request's columns have them. */
  postal_codes?: readonly string[];
  /** The number or address that is reached. */
  target: string;
};

/**
 * The request's own zone, else the contact's, else those of the postal code, else of the number's area or country, else the
 * campaign's. Null: the request names a zone that does not exist. The rules of the number's jurisdictions hold, and beside
 * them those of the postal code's where it is used. Pure.
 */
export function placeOf(
  { timezone, contact_timezone = null, postal_codes = [], target }: Whereabouts,
  campaign_zone: string,
): PersonPlace | null {
  const { zones, jurisdictions } = areaOf(target);
  if (timezone !== null) {
    const zone = zoneNamed(timezone);
    return zone === null ? null : { zones: [zone], jurisdictions, from: "request" };
  }
  if (contact_timezone !== null) return { zones: [contact_timezone], jurisdictions, from: "contact" };
  const postal = postal_codes.length === 0 ? null : commonPostalArea(postal_codes, jurisdictions[1] ?? null);
  if (postal !== null)
    return {
      zones: postal.zones,
      jurisdictions: withRegion(jurisdictions, postal.region),
      from: "postal-code",
    };
  if (zones.length > 0) return { zones, jurisdictions, from: "number" };
  return { zones: [campaign_zone], jurisdictions, from: "campaign" };
}

/** Where a number, and postal codes beside it, may be: the jurisdictions, the widest first. Pure. */
export const jurisdictionsOf = (target: string, postal_codes: readonly string[]): readonly string[] =>
  placeOf({ timezone: null, postal_codes, target }, "UTC")?.jurisdictions ?? [EVERYWHERE];

const withRegion = (jurisdictions: readonly string[], region: string): readonly string[] =>
  [...new Set([...jurisdictions, region.slice(0, 2), region])].toSorted((a, b) => a.length - b.length);

/** Lists name the same few zones in every row, and asking for one costs microseconds. */
const zonesNamed = new Map<string, string | null>();
const MAX_NAMED = 2_000;

function zoneNamed(text: string): string | null {
  const known = zonesNamed.get(text);
  if (known !== undefined) return known;
  if (zonesNamed.size >= MAX_NAMED) zonesNamed.clear();
  const zone = canonicalTimezone(text);
  zonesNamed.set(text, zone);
  return zone;
}

const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const regions = new Set([...NORTH_AMERICAN_AREAS.map(([region]) => region), ...POSTAL_REGIONS]);

/** Whether a rule may be for it: numbers tell countries, and of the US and Canada the state, as postal codes do. */
export const isJurisdiction = (name: string): boolean =>
  name === EVERYWHERE ||
  (name.length > 2 ? regions.has(name) : /^[A-Z]{2}$/.test(name) && names.of(name) !== undefined);

/** "Los Angeles" */
export const cityOf = (zone: string): string => (zone.split("/").at(-1) as string).replaceAll("_", " ");
