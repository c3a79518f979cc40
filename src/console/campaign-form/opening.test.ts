import { describe, expect, test } from "vitest";
import {
  addMonths,
  capText,
  hoursText,
  monthWeeks,
  type Opening,
  openDay,
  spansOf,
  weekStart,
} from "./opening.ts";

const CLINIC: Opening = {
  daily_start_time: "09:00:00",
  daily_end_time: "17:30:00",
  max_daily_calls: 200,
  active_days: ["mon", "tue", "wed", "thu", "fri"],
  outreach_override_rules: {
    days: {
      fri: { daily_end_time: "13:00:00" },
      sat: { active: true, daily_start_time: "20:00:00", daily_end_time: "02:00:00" },
    },
    dates: {
      "2026-12-25": { active: false },
      "2026-12-18": { max_daily_calls: 10 },
      "2026-12-21": { max_daily_calls: 0 },
    },
  },
};
const told = (date: string) => {
  const day = openDay(CLINIC, date);
  return `${hoursText(day)}, ${capText(day.cap)}`;
};

describe("a day is resolved field by field, the date over the weekday over the campaign", () => {
  test.each([
    ["2026-12-14", "09:00–17:30, 200 people"],
    ["2026-12-11", "09:00–13:00, 200 people"],
    ["2026-12-18", "09:00–13:00, 10 people"],
    ["2026-12-19", "20:00–02:00, into the night, 200 people"],
    ["2026-12-20", "closed, 0 people"],
    ["2026-12-21", "closed, 0 people"],
    ["2026-12-25", "closed, 0 people"],
  ])("%s: %s", (date, expected) => expect(told(date)).toBe(expected));

  test("and each field tells who decided it", () => {
    expect(openDay(CLINIC, "2026-12-18").by).toEqual({
      active: "campaign",
      start: "campaign",
      end: "weekday",
      cap: "date",
    });
  });
});

test("a window over midnight runs into the day after, closed or not", () => {
  const [saturday, sunday] = [openDay(CLINIC, "2026-12-19"), openDay(CLINIC, "2026-12-20")];
  expect(spansOf(saturday, openDay(CLINIC, "2026-12-18"))).toEqual([
    { start_s: 72_000, end_s: 86_400, night: false },
  ]);
  expect(spansOf(sunday, saturday)).toEqual([{ start_s: 0, end_s: 7_200, night: true }]);
});

test("without hours a day is open from midnight to midnight, and twice the same time is a full day", () => {
  expect(hoursText(openDay({ active_days: ["mon"] }, "2026-12-14"))).toBe("all day");
  const same = { active_days: ["mon"], daily_start_time: "08:00", daily_end_time: "08:00" };
  expect(openDay(same, "2026-12-14").window).toEqual({ start_s: 28_800, end_s: 28_800 + 86_400 });
});

test("weeks begin on Monday, and a month is whole weeks", () => {
  expect(weekStart("2026-12-20")).toBe("2026-12-14");
  const weeks = monthWeeks("2026-12-20");
  expect([weeks[0]?.[0], weeks.at(-1)?.at(-1), weeks.length]).toEqual(["2026-11-30", "2027-01-03", 5]);
  expect(addMonths("2026-12-31", 2)).toBe("2027-02-01");
});
