import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTimestamp } from "./schema.ts";

const read = (text: string) => parseTimestamp(text)?.toISOString() ?? null;

test("a date-time of any offset is read, with a plus that a query turned into a blank, too", () => {
  const moment = fc.date({ min: new Date("1901-01-01"), max: new Date("9998-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(
      moment,
      fc.integer({ min: -14 * 60, max: 14 * 60 }),
      fc.boolean(),
      (at, minutes, withColon) => {
        const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const two = (value: number) => String(value).padStart(2, "0");
        const hours = `${two(Math.trunc(Math.abs(minutes) / 60))}${withColon ? ":" : ""}${two(Math.abs(minutes) % 60)}`;
        const written = `${local}${minutes < 0 ? "-" : "+"}${hours}`;
        expect(read(written)).toBe(at.toISOString());
        expect(read(decodeURIComponent(written.replaceAll("+", " ")))).toBe(at.toISOString());
      },
    ),
  );
});

test.each([
  ["2026-11-29", "2026-11-29T00:00:00.000Z"],
  ["2026-11-29 20:00", "2026-11-29T20:00:00.000Z"],
  ["2026-11-29 20:00 01:00", "2026-11-29T19:00:00.000Z"],
  ["2026-11-29T20:00:00.123456+01:00", "2026-11-29T19:00:00.123Z"],
  ["2026-11-29 01:00 ", null],
  ["2026-02-30", null],
  ["2026-11-29T20:00:00  01:00", null],
  ["1764446400", null],
  ["", null],
])("%o is read as %o", (text, moment) => expect(read(text)).toBe(moment));
