import {
  getCountries,
  getCountryCallingCode,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from "libphonenumber-js/max";

/** Which telephone numbers this installation reaches (docs/decisions/0015-destinations.md). */
export type DestinationRules = {
  /** ISO 3166 codes of countries, and calling codes as `+44`; empty: every country. */
  countries: string[];
  /** Beginnings of numbers, as `+88216`, that are reached whatever else holds. */
  allowed: string[];
};

/** Every country, but nothing that costs more than a call. */
export const EVERY_COUNTRY: DestinationRules = { countries: [], allowed: [] };

/** Calling codes that are no country's, and what a call to them is charged as. */
const COSTLY_CODES: Readonly<Record<string, string>> = {
  "808": "a shared-cost number",
  "870": "a satellite number",
  "881": "a satellite number",
  "882": "a number of a satellite or international network",
  "883": "a number of an international network",
  "979": "a premium-rate number",
};

/**
 * Why a number is not to be reached, as a sentence without its point; null: it may be. What is not written as an
 * international number, such as a SIP address, is not judged. Takes some 40 µs. Pure.
 */
export function refusalOf(number: string, rules: DestinationRules): string | null {
  if (!/^\+\d/.test(number)) return null;
  if (rules.allowed.some((beginning) => number.startsWith(beginning))) return null;
  const parsed = parse(number);
  const costly = costOf(number, parsed);
  if (costly !== null) return `${number} is ${costly}, and OUTREACH_ALLOW does not name it`;
  if (rules.countries.length === 0 || (parsed && isOf(rules.countries, parsed))) return null;
  return `${number} is ${placeOf(parsed)}, and OUTREACH_COUNTRIES does not name that`;
}

const parse = (number: string): PhoneNumber | undefined =>
  parsePhoneNumberFromString(number, { extract: false });

/**
 * What it is charged as; null: as any other. A number that is longer than it has to be still rings where its beginning
 * does, so of one that nobody has the beginnings are judged.
 */
function costOf(number: string, parsed: PhoneNumber | undefined): string | null {
  const known = COSTLY_CODES[parsed?.countryCallingCode ?? number.slice(1, 4)];
  if (known !== undefined) return known;
  let [digits, rest] = [number, parsed];
  while (rest?.isPossible() && !rest.isValid()) {
    digits = digits.slice(0, -1);
    rest = parse(digits);
  }
  switch (rest?.getType()) {
    case "PREMIUM_RATE":
      return "a premium-rate number";
    case "SHARED_COST":
      return "a shared-cost number";
    default:
      return null;
  }
}

/** A number of no known country, such as one of a new area code, may be of any that has its calling code. */
const isOf = (countries: string[], { country, countryCallingCode }: PhoneNumber): boolean =>
  countries.some((named) => {
    if (named.startsWith("+")) return named === `+${countryCallingCode}`;
    return country === undefined ? callingCodeOf(named) === countryCallingCode : named === country;
  });

const callingCodes = new Map<string, string>(
  getCountries().map((name) => [name, getCountryCallingCode(name)]),
);
const callingCodeOf = (country: string): string | undefined => callingCodes.get(country);

const codes = new Set(callingCodes.values());

/** The calling code of an international number, as "44"; no code begins with another. Null: none that is known. Pure. */
export function callingCodeOfNumber(number: string): string | null {
  if (!number.startsWith("+")) return null;
  for (const length of [1, 2, 3]) {
    const code = number.slice(1, 1 + length);
    if (codes.has(code) || code in COSTLY_CODES) return code;
  }
  return null;
}

const names = new Intl.DisplayNames("en", { type: "region" });

function placeOf(parsed: PhoneNumber | undefined): string {
  if (parsed === undefined) return "of no known calling code";
  const { country, countryCallingCode } = parsed;
  return country === undefined
    ? `of the calling code +${countryCallingCode}`
    : `of ${names.of(country)} (${country})`;
}

/** The two letters of a number's country, or its calling code where it is of none; "" for what is no such number. Pure. */
export function countryOf(number: string): string {
  const parsed = parse(number);
  return parsed === undefined ? "" : (parsed.country ?? `+${parsed.countryCallingCode}`);
}

/** Reads OUTREACH_COUNTRIES and OUTREACH_ALLOW, lists parted by commas; what is wrong in them, a sentence each. */
export function parseDestinations(
  countries: string,
  allowed: string,
): { rules: DestinationRules; faults: string[] } {
  const parts = (text: string) => text.split(/[\s,]+/).filter(Boolean);
  const rules = { countries: parts(countries.toUpperCase()), allowed: parts(allowed) };
  const isPlace = (name: string) =>
    name.startsWith("+") ? codes.has(name.slice(1)) : callingCodes.has(name);
  return {
    rules,
    faults: [
      ...rules.countries
        .filter((name) => !isPlace(name))
        .map(
          (name) =>
            `OUTREACH_COUNTRIES holds "${name}"; write countries by their two letters, or calling codes: US, CA, +44.`,
        ),
      ...rules.allowed
        .filter((beginning) => !/^\+\d{2,15}$/.test(beginning))
        .map(
          (beginning) =>
            `OUTREACH_ALLOW holds "${beginning}"; write how numbers begin, with + and calling code: +88216, +44845.`,
        ),
    ],
  };
}
