import { expect, test } from "vitest";
import { inZone } from "./in-zone.ts";

const NOW = new Date("2026-11-30T12:00:00Z");

test.each([
  ["The carrier refuses +1: busy; nothing is tried from it until 2026-11-30T13:05:00.000Z", "14:05"],
  ["canceled the call to +1 at 2026-12-01T08:00:00+00:00", "1 Dec 2026, 09:00"],
  ["Waiting: retry 1 of 3 at 2026-12-01 23:30 UTC: busy.", "2 Dec 2026, 00:30"],
  ["Waiting: retry 1 of 3 at 13:30 UTC: busy.", "14:30"],
  ["Waiting: retry 1 of 3 at 23:30:30 UTC: busy.", "1 Dec 2026, 00:30"],
])("a time that the program wrote into a sentence is shown on the viewer's clock: %s", (sentence, shown) => {
  const said = inZone(sentence, "Europe/Berlin", NOW);
  expect(said).toContain(shown);
  expect(said).not.toMatch(/UTC|\dT\d|\+00:00/);
  expect(said.split(/(?:at|until) /)[0]).toBe(sentence.split(/(?:at|until) /)[0]);
});

test.each([
  "Waiting for 09:00 America/Phoenix.",
  "2026-11-23 09:00 America/Argentina/Salta",
  "Write 2026-11-24, 2026-11-24T09:00 or 2026-11-24T09:00:00Z",
  "Days of 2026-11-24, in UTC",
  "2026-13-45 09:00 UTC",
])("what is the clock of a place, an example to write or no time stays as it is: %s", (sentence) => {
  expect(inZone(sentence, "Europe/Berlin", NOW)).toBe(sentence);
});

test("what is so every day stays as it is, and in UTC a clock of UTC does", () => {
  const daily = "Models answer again from 00:00 UTC.";
  expect(inZone(daily, "America/New_York")).toBe(daily);
  expect(inZone("Next at 13:30 UTC.", "UTC", NOW)).toBe("Next at 13:30 UTC.");
  expect(inZone("Until 2026-11-30T13:05:00.000Z", "UTC")).toBe("Until 30 Nov 2026, 13:05");
});
