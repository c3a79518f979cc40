import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { spanAt, wallClock } from "./wall-clock.ts";

const zones = Intl.supportedValuesOf("timeZone");

/** By the other road: formatted by Intl, which shares nothing with the spans. */
function shown(zone: string, at_ms: number): string {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(at_ms);
  const of = (type: string) => parts.find((part) => part.type === type)?.value;
  return `${of("year")}-${of("month")}-${of("day")}T${of("hour")}:${of("minute")}:${of("second")}`;
}

function printed(zone: string, at_ms: number): string {
  const { day, second } = wallClock(zone, at_ms);
  return new Date((day * 86_400 + second) * 1000).toISOString().slice(0, 19);
}

describe("the wall clock", () => {
  test("shows what Intl shows, in every zone, at any second of 1975 to 2060", () => {
    const second = fc.integer({ min: Date.UTC(1975) / 1000, max: Date.UTC(2060) / 1000 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), second, (zone, at_s) => {
        expect(printed(zone, at_s * 1000)).toBe(shown(zone, at_s * 1000));
      }),
      { numRuns: rounds(500) },
    );
  });

  test("is right on both sides of every change of the clocks of 2026, from either direction", () => {
    for (const zone of zones) {
      let { until_ms } = spanAt(zone, Date.UTC(2026));
      while (until_ms < Date.UTC(2027)) {
        for (const at_ms of [until_ms - 1, until_ms, until_ms + 1, until_ms - 1]) {
          expect(printed(zone, at_ms), `${zone} ${at_ms}`).toBe(shown(zone, at_ms));
        }
        ({ until_ms } = spanAt(zone, until_ms));
      }
    }
  });

  test("a zone that does not exist is an error, not UTC", () => {
    expect(() => wallClock("Mars/Olympus", 0)).toThrow(RangeError);
  });
});
