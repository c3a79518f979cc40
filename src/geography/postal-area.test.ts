import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import "../../test/harness/seed.ts";
import { commonPostalArea, postalArea } from "./postal-area.ts";
import { CANADIAN_POSTAL_AREAS, US_ZIP_AREAS } from "./postal-areas.ts";

const numbers = (text: string): string[] =>
  text.split(" ").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number) as [number, number?];
    return Array.from({ length: to - from + 1 }, (_, n) => String(from + n).padStart(3, "0"));
  });
const EVERY = numbers("0-999");
/** Those of the postal service that are not in use, and those of the armed forces. */
const UNUSED = new Set(
  numbers(
    "0-4 99 213 269 343 345 348 353 419 428-429 517-519 529 533 536 552 568 578-579 589 621 632 642-643 659 663 682 694-699 702 709 715 732 742 817-819 839 848-849 854 858 861-862 866-869 872 886-888 892 896 899 909 929 987",
  ),
);
const ARMED_FORCES = new Set(numbers("90-98 340 962-966"));
const NOWHERE = new Set([...UNUSED, ...ARMED_FORCES]);

const zonesOf = (country: string) => new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
/** The country's, and those of its territories that have ZIP codes. */
const ZONES_OF_THE_US = new Set(
  ["US", "PR", "VI", "GU", "AS", "MP", "UM", "FM", "MH", "PW"].flatMap(zonesOf),
);

describe("ZIP codes", () => {
  test("every beginning that is in use has a zone, and zones of the US only", () => {
    const digits = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, "0"));
    for (const zip3 of EVERY.filter((each) => !NOWHERE.has(each)))
      fc.assert(
        fc.property(digits, fc.constantFrom("", "-0123", "0123"), (rest, four) => {
          const area = postalArea(`${zip3}${rest}${four}`, "US");
          expect(area?.zones.length, zip3).toBeGreaterThan(0);
          for (const zone of area?.zones ?? []) expect(ZONES_OF_THE_US, zone).toContain(zone);
        }),
        { numRuns: rounds(5) },
      );
  });

  test("beginnings that are not in use, and those of the armed forces, tell nothing", () => {
    for (const zip3 of NOWHERE) expect(postalArea(`${zip3}01`, "US"), zip3).toBeNull();
  });

  test("no beginning stands in the tables twice", () => {
    for (const areas of [US_ZIP_AREAS, CANADIAN_POSTAL_AREAS]) {
      const all = areas.flatMap(([, , beginnings]) => beginnings.split(" "));
      const each = all.flatMap((part) => (/^\d{3}(-|$)/.test(part) ? numbers(part) : [part]));
      expect(each.filter((one, index) => each.indexOf(one) !== index)).toEqual([]);
    }
  });

  const [EASTERN, CENTRAL, MOUNTAIN, PACIFIC] = [
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
  ];
  test.each([
    ["79901", "El Paso", [MOUNTAIN]],
    ["88510", "El Paso", [MOUNTAIN]],
    ["79839", "Fort Hancock, Hudspeth county, with Alpine behind the border", [CENTRAL, MOUNTAIN]],
    ["79701", "Midland", [CENTRAL]],
    ["32501", "Pensacola", [CENTRAL]],
    ["32456", "Port St. Joe, with Panama City", [CENTRAL, EASTERN]],
    ["32301", "Tallahassee", [EASTERN]],
    ["36867", "Phenix City, which lives with Columbus in Georgia", [CENTRAL, EASTERN]],
    ["46350", "La Porte", [CENTRAL]],
    ["46402", "Gary", [CENTRAL]],
    ["46534", "Knox, with South Bend's surroundings", [CENTRAL, EASTERN]],
    ["46204", "Indianapolis", [EASTERN]],
    ["47708", "Evansville", [CENTRAL]],
    ["47546", "Jasper, with Tell City", [CENTRAL, EASTERN]],
    ["40202", "Louisville", [EASTERN]],
    ["40143", "Hardinsburg, with Radcliff", [CENTRAL, EASTERN]],
    ["42101", "Bowling Green", [CENTRAL]],
    ["42642", "Russell Springs, with Monticello", [CENTRAL, EASTERN]],
    ["37203", "Nashville", [CENTRAL]],
    ["37402", "Chattanooga", [EASTERN]],
    ["37347", "Jasper, with Dayton", [CENTRAL, EASTERN]],
    ["83501", "Lewiston, with Riggins", [MOUNTAIN, PACIFIC]],
    ["83814", "Coeur d'Alene", [PACIFIC]],
    ["83702", "Boise", [MOUNTAIN]],
    ["97914", "Ontario in Oregon, with Drewsey", [MOUNTAIN, PACIFIC]],
    ["97801", "Pendleton", [PACIFIC]],
    ["58102", "Fargo", [CENTRAL]],
    ["58601", "Dickinson, with Hebron", [CENTRAL, MOUNTAIN]],
    ["57104", "Sioux Falls", [CENTRAL]],
    ["57501", "Pierre, with Fort Pierre", [CENTRAL, MOUNTAIN]],
    ["57701", "Rapid City", [MOUNTAIN]],
    ["69101", "North Platte, with Ogallala", [CENTRAL, MOUNTAIN]],
    ["69361", "Scottsbluff", [MOUNTAIN]],
    ["67735", "Goodland, with Colby", [CENTRAL, MOUNTAIN]],
    ["67202", "Wichita", [CENTRAL]],
    ["49801", "Iron Mountain, with Marquette", [CENTRAL, EASTERN]],
    ["49938", "Ironwood, with Houghton", [CENTRAL, EASTERN]],
    ["49684", "Traverse City", [EASTERN]],
    ["86515", "Window Rock, Navajo Nation", [MOUNTAIN, "America/Phoenix"]],
    ["85001", "Phoenix", ["America/Phoenix"]],
    ["89883", "West Wendover, with Elko", [MOUNTAIN, PACIFIC]],
    ["99546", "Adak, with Anchorage's surroundings", ["America/Adak", "America/Anchorage"]],
    ["96701", "Aiea", ["Pacific/Honolulu"]],
    ["96799", "Pago Pago", ["Pacific/Pago_Pago"]],
    ["96950", "Saipan", ["Pacific/Saipan"]],
    ["00601", "Adjuntas", ["America/Puerto_Rico"]],
  ])("%s is %s", (zip, _place, zones) => {
    expect(postalArea(zip, "US")?.zones.toSorted()).toEqual(zones.toSorted());
  });
});

describe("Canadian codes", () => {
  test.each([
    ["M5V 3L9", "CA-ON", ["America/Toronto"]],
    ["p9n1a1", "CA-ON", ["America/Toronto", "America/Winnipeg"]],
    ["A1C-5M2", "CA-NL", ["America/St_Johns"]],
    ["A2V 1A1", "CA-NL", ["America/Halifax", "America/St_Johns"]],
    ["C1A 1A1", "CA-PE", ["America/Halifax"]],
    ["V6B 1A1", "CA-BC", ["America/Vancouver"]],
    ["V1G 1A1", "CA-BC", ["America/Edmonton", "America/Vancouver"]],
    ["S4P 1A1", "CA-SK", ["America/Regina"]],
    ["S9V 1A1", "CA-SK", ["America/Edmonton", "America/Regina"]],
    ["X1A 1A1", "CA-NT", ["America/Edmonton"]],
    ["X0A 0H0", "CA-NU", ["America/Edmonton", "America/Toronto", "America/Winnipeg"]],
    ["Y1A 1A1", "CA-YT", ["America/Whitehorse"]],
  ])("%s is in %s", (code, region, zones) => {
    expect(postalArea(code, "CA")).toEqual({ region, zones });
  });

  test("every code of the form has a province and zones of Canada only", () => {
    const zones = new Set(zonesOf("CA"));
    const one = (letters: string) => fc.constantFrom(...letters);
    const [first, other, digit] = [one("ABCEGHJKLMNPRSTVXY"), one("ABCEGHJKLMNPRSTVWXYZ"), one("0123456789")];
    fc.assert(
      fc.property(fc.tuple(first, digit, other, digit, other, digit), ([a, b, c, d, e, f]) => {
        const area = postalArea(`${a}${b}${c} ${d}${e}${f}`, "US");
        expect(area?.region).toMatch(/^CA-[A-Z]{2}$/);
        for (const zone of area?.zones ?? []) expect(zones, zone).toContain(zone);
      }),
    );
  });
});

describe("what tells nothing", () => {
  test.each([
    ["9021", "a digit is missing, and nobody says which"],
    ["902100", "one too many"],
    ["D1A 1A1", "no province"],
    ["SW1A 1AA", "London"],
    ["n/a", "no code"],
    ["٩٠٢١٠", "digits of another script"],
  ])("%s: %s", (code) => {
    expect(postalArea(code, "US")).toBeNull();
  });

  test("five digits beside a number of another country, or without one, are no ZIP code", () => {
    expect(postalArea("10115", "DE")).toBeNull();
    expect(postalArea("10115", null)).toBeNull();
    expect(postalArea("M5V 3L9", "DE")).toBeNull();
    expect(postalArea("M5V 3L9", null)?.region).toBe("CA-ON");
  });

  test("codes that contradict each other; what is no code contradicts nothing", () => {
    expect(commonPostalArea(["90210", "10001"], "US")).toBeNull();
    expect(commonPostalArea(["90210", "?"], "US")?.region).toBe("US-CA");
    expect(commonPostalArea(["90210", "90001-1234"], "US")?.region).toBe("US-CA");
    expect(commonPostalArea([], "US")).toBeNull();
  });

  test("whatever a cell holds, the answer is an area or none", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("US", "CA", "+1", "DE", null), (code, country) => {
        const area = postalArea(code, country);
        expect(area === null || area.zones.length > 0).toBe(true);
      }),
    );
  });
});
