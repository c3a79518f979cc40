import { expect, test } from "vitest";
import { NORTH_AMERICAN_AREAS } from "./north-american-areas.ts";
import { isJurisdiction } from "./person-zones.ts";

test("every zone of the table exists, no area code stands in it twice, and every region may have rules", () => {
  const codes = NORTH_AMERICAN_AREAS.flatMap(([, , each]) => each.split(" "));
  expect(new Set(codes).size).toBe(codes.length);
  for (const [region, zones] of NORTH_AMERICAN_AREAS) {
    expect(isJurisdiction(region)).toBe(true);
    for (const timeZone of zones.split(" ")) new Intl.DateTimeFormat("en", { timeZone });
  }
  expect(["*", "DE", "US-TX", "CA-ON"].every(isJurisdiction)).toBe(true);
  expect(["", "us", "USA", "US-XX", "DE-BY", "QZ"].some(isJurisdiction)).toBe(false);
});
