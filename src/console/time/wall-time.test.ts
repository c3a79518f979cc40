import { expect, test } from "vitest";
import { offset_ms, toInstant, toWall } from "./wall-time.ts";

test.each([
  ["2026-11-20T14:30", "Europe/Berlin", "2026-11-20T13:30:00.000Z"],
  ["2026-07-01T00:00", "America/New_York", "2026-07-01T04:00:00.000Z"],
  ["2026-07-01T00:00", "Asia/Kathmandu", "2026-06-30T18:15:00.000Z"],
  ["2026-07-01T00:00", "UTC", "2026-07-01T00:00:00.000Z"],
])("%s in %s is %s, and back", (wall, zone, instant) => {
  expect(toInstant(wall, zone)).toBe(instant);
  expect(toWall(instant, zone)).toBe(wall);
});

test("an hour that comes twice is its first, one that never comes the one right after", () => {
  expect(toInstant("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
  expect(toInstant("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T00:30:00.000Z");
});

test("what is no time is none", () => {
  expect(toInstant("", "UTC")).toBeNull();
  expect(toWall("soon", "UTC")).toBe("");
  expect(toWall(null, "UTC")).toBe("");
  expect(offset_ms("America/St_Johns", Date.parse("2026-01-01"))).toBe(-3.5 * 3_600_000);
});
