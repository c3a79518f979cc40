import fc from "fast-check";
import { getCountries, getCountryCallingCode, getExampleNumber } from "libphonenumber-js/max";
import examples from "libphonenumber-js/mobile/examples";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { EVERY_COUNTRY, parseDestinations, refusalOf } from "./destination.ts";

const rulesOf = (countries: string, allowed = "") => {
  const { rules, faults } = parseDestinations(countries, allowed);
  expect(faults).toEqual([]);
  return rules;
};

describe("what costs more than a call is not reached", () => {
  test.each([
    ["+19005551234", "a premium-rate number"],
    ["+448712345678", "a premium-rate number"],
    ["+33899123456", "a premium-rate number"],
    ["+499001234567", "a premium-rate number"],
    // Longer than it has to be: the switch looks at the beginning.
    ["+4990012345678999", "a premium-rate number"],
    ["+491801234567", "a shared-cost number"],
    ["+80812345678", "a shared-cost number"],
    ["+979123456789", "a premium-rate number"],
    ["+870773111632", "a satellite number"],
    ["+881612345678", "a satellite number"],
    ["+88216123456", "a number of a satellite or international network"],
    ["+883510012345678", "a number of an international network"],
    ["+8815", "a satellite number"],
  ])("%s is %s", (number, what) => {
    expect(refusalOf(number, EVERY_COUNTRY)).toBe(
      `${number} is ${what}, and OUTREACH_ALLOW does not name it`,
    );
    expect(refusalOf(number, rulesOf("", number.slice(0, 4)))).toBeNull();
    expect(refusalOf(number, rulesOf("", "+4412"))).not.toBeNull();
  });

  test.each([
    "+15125551234",
    // An area code that nobody has, yet.
    "+12225551234",
    "+18005551212",
    "+442079460018",
    "+447700900123",
    "+498001234567",
    "+4915123456789",
    "+3725000000",
    "sip:desk@example.com",
    "12345",
    "",
  ])("%j is reached", (number) => {
    expect(refusalOf(number, EVERY_COUNTRY)).toBeNull();
  });
});

describe("an installation that names its countries reaches no other", () => {
  test.each([
    ["US", "+15125551234", null],
    ["US,CA", "+16045551234", null],
    ["us ca", "+16045551234", null],
    ["US", "+16045551234", "+16045551234 is of Canada (CA), and OUTREACH_COUNTRIES does not name that"],
    ["US", "+18765551234", "+18765551234 is of Jamaica (JM), and OUTREACH_COUNTRIES does not name that"],
    ["+1", "+18765551234", null],
    // Of an area code that nobody knows: it may be a new one of any country that dials so.
    ["US", "+12225551234", null],
    [
      "GB",
      "+12225551234",
      "+12225551234 is of the calling code +1, and OUTREACH_COUNTRIES does not name that",
    ],
    ["GB", "+999123456", "+999123456 is of no known calling code, and OUTREACH_COUNTRIES does not name that"],
    ["GB", "sip:desk@example.com", null],
  ])("%s and %s: %s", (countries, number, refusal) => {
    expect(refusalOf(number, rulesOf(countries))).toBe(refusal);
  });

  test("and what OUTREACH_ALLOW names beside them", () => {
    expect(refusalOf("+18765551234", rulesOf("US", "+1876"))).toBeNull();
    expect(refusalOf("+19005551234", rulesOf("US"))).toMatch(/premium-rate/);
  });

  test("a mobile number of each country there is: reached where the country is named, and where it is not, no", () => {
    for (const country of getCountries()) {
      const number = getExampleNumber(country, examples)?.number;
      // Two of the example numbers are of the country next to it.
      if (!number) continue;
      expect(refusalOf(number, EVERY_COUNTRY), `${country} ${number}`).toBeNull();
      expect(refusalOf(number, rulesOf(`${country},+${getCountryCallingCode(country)}`)), country).toBeNull();
      const other = getCountryCallingCode(country) === "49" ? "FR" : "DE";
      expect(refusalOf(number, rulesOf(other)), country).toMatch(/OUTREACH_COUNTRIES/);
    }
  });
});

const number = fc
  .tuple(
    fc.constantFrom("1", "44", "49", "33", "61", "7", "870", "881", "883", "979", "808", "999"),
    fc.nat(),
  )
  .map(([code, rest]) => `+${code}${rest}`);
const country = fc.constantFrom(...getCountries());

test("what is allowed by its beginning is reached, whatever the countries", () => {
  fc.assert(
    fc.property(number, fc.integer({ min: 3, max: 12 }), fc.array(country), (text, digits, countries) => {
      const allowed = [text.slice(0, digits)];
      expect(refusalOf(text, { countries, allowed })).toBeNull();
    }),
  );
});

test("a country more never takes a number away", () => {
  fc.assert(
    fc.property(number, fc.array(country, { minLength: 1 }), country, (text, countries, more) => {
      if (refusalOf(text, { countries, allowed: [] }) === null)
        expect(refusalOf(text, { countries: [...countries, more], allowed: [] })).toBeNull();
    }),
  );
});

test("any text is judged, and without an error", () => {
  fc.assert(
    fc.property(fc.oneof(number, fc.string({ unit: CODE_POINT })), fc.array(country), (text, countries) => {
      const refusal = refusalOf(text, { countries, allowed: [] });
      expect(refusal === null || refusal.startsWith(`${text} is `)).toBe(true);
    }),
  );
});

test("what is wrong in the settings is told, each by itself", () => {
  expect(parseDestinations("US, Germany, +999", "+1, 0900, +49900").faults).toEqual([
    'OUTREACH_COUNTRIES holds "GERMANY"; write countries by their two letters, or calling codes: US, CA, +44.',
    'OUTREACH_COUNTRIES holds "+999"; write countries by their two letters, or calling codes: US, CA, +44.',
    'OUTREACH_ALLOW holds "+1"; write how numbers begin, with + and calling code: +88216, +44845.',
    'OUTREACH_ALLOW holds "0900"; write how numbers begin, with + and calling code: +88216, +44845.',
  ]);
});
