import fc from "fast-check";
import { expect, test } from "vitest";
import { wantedDate, writtenDay, writtenMinute } from "./written-date.ts";

test.each([
  ["2026-11-20", "2026-11-20"],
  [" 2028-02-29 ", "2028-02-29"],
  ["2026-02-29", null],
  ["2026-13-01", null],
  ["11/20/2026", null],
  ["2026-11-2", null],
  ["02026-11-20", null],
  ["", null],
])("the day of %o is %o", (text, day) => {
  expect(writtenDay(text)).toBe(day);
});

test.each([
  ["2026-11-20 14:30", "2026-11-20 14:30:00"],
  ["2026-11-20T14:30", "2026-11-20 14:30:00"],
  ["2026-11-20 24:00", null],
  ["2026-02-30 10:00", null],
  ["2026-11-20", null],
  ["2026-11-20 2:30 PM", null],
])("the minute of %o is %o", (text, minute) => {
  expect(writtenMinute(text)).toBe(minute);
});

test("every day and minute that is written is read back, and no field asks for another", () => {
  const from = Date.UTC(1970, 0, 1);
  const until = Date.UTC(9999, 11, 31);
  fc.assert(
    fc.property(fc.integer({ min: from, max: until }), (at) => {
      const [day = "", time = ""] = new Date(at).toISOString().split("T");
      const minute = `${day} ${time.slice(0, 5)}`;
      expect(writtenDay(day)).toBe(day);
      expect(writtenMinute(minute)).toBe(`${minute}:00`);
      expect(wantedDate({ value: day, written: "day" })).toBeNull();
      expect(wantedDate({ value: minute, written: "minute" })).toBeNull();
    }),
  );
});

test("what is half typed is asked for, what is empty is not", () => {
  expect(wantedDate({ value: "2026-11", written: "day" })).toContain("YYYY-MM-DD");
  expect(wantedDate({ value: "2026-11-20", written: "minute" })).toContain("HH:MM");
  expect(wantedDate({ value: " ", written: "minute" })).toBeNull();
  expect(wantedDate({ value: "tomorrow", written: undefined })).toBeNull();
});
