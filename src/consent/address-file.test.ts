import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { readInstant } from "./address-file.ts";

test("a day or a time of a file is that of the calendar, in UTC where it names no offset, or is refused", () => {
  const two = (value: number) => String(value).padStart(2, "0");
  const offset = fc.constantFrom("", "Z", "+05:30", "-03:30", "+1245");
  const number = (most: number) => fc.integer({ min: 0, max: most });
  fc.assert(
    fc.property(
      fc.integer({ min: 1901, max: 9998 }),
      number(13),
      number(32),
      number(24),
      number(60),
      offset,
      (year, month, day, hour, minute, zone) => {
        const date = `${year}-${two(month)}-${two(day)}`;
        const time = `${two(hour)}:${two(minute)}`;
        const days = month < 1 || month > 12 ? 0 : new Date(Date.UTC(year, month, 0)).getUTCDate();
        const isDay = day >= 1 && day <= days;
        expect(readInstant(date)).toBe(isDay ? `${date}T00:00:00.000Z` : undefined);
        if (hour > 23 || minute > 59) return;
        const away = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
        const away_min = away ? Number(`${away[1]}1`) * (Number(away[2]) * 60 + Number(away[3])) : 0;
        const at = new Date(Date.UTC(year, month - 1, day, hour, minute - away_min)).toISOString();
        for (const between of ["T", " "])
          expect(readInstant(`${date}${between}${time}${zone}`)).toBe(isDay ? at : undefined);
      },
    ),
    { numRuns: rounds(300) },
  );
  expect(readInstant("")).toBeNull();
  for (const wrong of ["2026-02-30", "2026-03-01 10:00 EST", "2026-03-01 and later", "01.03.2026"])
    expect(readInstant(wrong)).toBeUndefined();
});
