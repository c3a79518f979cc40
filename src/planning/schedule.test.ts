import { describe, expect, test } from "vitest";
import { isOpen, nextOpening, openDays, type Rule, resolveDay, type Schedule } from "./schedule.ts";
import { WEEKDAYS } from "./weekday.ts";

const hour = 3600;
const NEW_YORK = "America/New_York";

const always: Schedule = {
  daily_start_time: null,
  daily_end_time: null,
  max_daily_calls: null,
  active_days: [...WEEKDAYS],
  outreach_override_rules: null,
};
const daily = (start: string | null, end: string | null, more: Partial<Schedule> = {}): Schedule => ({
  ...always,
  daily_start_time: start,
  daily_end_time: end,
  ...more,
});

/** `2026-12-18T09:00` on the clock of New York, or of UTC. */
const newYork = (local: string) =>
  new Date(Temporal.PlainDateTime.from(local).toZonedDateTime(NEW_YORK).epochMilliseconds);
const utc = (local: string) => new Date(`${local}Z`);

describe("resolving a day", () => {
  const campaign: Schedule = {
    daily_start_time: "09:00:00",
    daily_end_time: "17:00:00",
    max_daily_calls: 100,
    active_days: ["mon", "tue", "wed", "thu", "fri"],
    outreach_override_rules: {
      days: { sat: { active: true, max_daily_calls: 10 }, fri: { daily_end_time: "15:00:00" } },
      dates: {
        "2026-12-25": { active: false },
        "2026-12-26": { daily_end_time: "12:00:00" },
        "2026-12-24": { max_daily_calls: 0 },
      },
    },
  };

  test.each([
    ["a plain weekday", "2026-12-22", [9, 17], 100],
    ["a cap of 0 closes the day, for retries too", "2026-12-24", null, 0],
    ["active false closes the day", "2026-12-25", null, 0],
    ["the end is the date's, cap and activity are Saturday's", "2026-12-26", [9, 12], 10],
    ["the end is Friday's", "2026-12-18", [9, 15], 100],
    ["a day that is not active", "2026-12-20", null, 0],
  ])("%s: %s", (_why, date, hours, cap) => {
    const windows = hours ? [{ start_s: hours[0]! * hour, end_s: hours[1]! * hour }] : [];
    expect(resolveDay(campaign, date)).toEqual({ windows, cap });
  });

  test("a date's active: true opens a day that its weekday rule closes", () => {
    const rules = { days: { mon: { active: false } }, dates: { "2026-12-21": { active: true } } };
    expect(resolveDay({ ...always, outreach_override_rules: rules }, "2026-12-21").windows).toHaveLength(1);
    expect(resolveDay({ ...always, outreach_override_rules: rules }, "2026-12-28").windows).toEqual([]);
  });

  test("a date's active: true does not lift a cap of 0, but a cap of its own does", () => {
    const days = { mon: { max_daily_calls: 0 } };
    const opened = (rule: Rule) =>
      resolveDay(
        { ...always, outreach_override_rules: { days, dates: { "2026-12-21": rule } } },
        "2026-12-21",
      ).cap;
    expect(opened({ active: true })).toBe(0);
    expect(opened({ max_daily_calls: 3 })).toBe(3);
  });

  test("null inherits like an absent field", () => {
    const rule = { active: null, daily_start_time: null, daily_end_time: null, max_daily_calls: null };
    const rules = { days: { tue: rule }, dates: { "2026-12-22": rule } };
    expect(resolveDay({ ...campaign, outreach_override_rules: rules }, "2026-12-22")).toEqual(
      resolveDay({ ...campaign, outreach_override_rules: null }, "2026-12-22"),
    );
  });

  test.each([
    [null, null, [0, 24]],
    ["09:00:00", null, [9, 24]],
    [null, "09:00:00", [0, 9]],
    ["09:00:00", "00:00:00", [9, 24]],
    ["00:00:00", "00:00:00", [0, 24]],
    ["22:00:00", "02:00:00", [22, 26]],
    ["09:00:00", "09:00:00", [9, 33]],
  ])("from %s until %s is %j in hours of the day", (start, end, hours) => {
    const window = { start_s: hours[0]! * hour, end_s: hours[1]! * hour };
    expect(resolveDay(daily(start, end), "2026-12-22").windows).toEqual([window]);
  });
});

describe("a window over midnight", () => {
  const fridays = daily("22:00:00", "02:00:00", { active_days: ["fri"], max_daily_calls: 5 });

  test.each([
    ["2026-12-18T21:59:59", false],
    ["2026-12-18T22:00:00", true],
    ["2026-12-19T01:59:59", true],
    ["2026-12-19T02:00:00", false],
    ["2026-12-18T01:00:00", false],
  ])("belongs to the day that began it: %s", (local, open) => {
    expect(isOpen(fridays, NEW_YORK, newYork(local))).toBe(open);
  });

  test("a first attempt after midnight counts towards the day before", () => {
    expect(openDays(fridays, NEW_YORK, newYork("2026-12-19T01:00"))).toEqual([
      { date: "2026-12-18", cap: 5 },
    ]);
  });

  test("two days may be open at once, the earlier first", () => {
    const nights = daily("22:00:00", "23:00:00", {
      max_daily_calls: 5,
      outreach_override_rules: {
        dates: { "2026-12-18": { daily_end_time: "22:30:00", daily_start_time: "23:00:00" } },
      },
    });
    expect(openDays(nights, NEW_YORK, newYork("2026-12-19T22:15"))).toEqual([
      { date: "2026-12-18", cap: 5 },
      { date: "2026-12-19", cap: 5 },
    ]);
  });
});

describe("the next opening", () => {
  test("is now when it is open, and null when it never opens again", () => {
    const now = utc("2026-12-18T12:00:30.500");
    expect(nextOpening(always, "UTC", now)).toEqual(now);
    expect(nextOpening({ ...always, active_days: [] }, "UTC", now)).toBeNull();
    const past = { dates: { "2026-12-17": { active: true } } };
    expect(nextOpening({ ...always, active_days: [], outreach_override_rules: past }, "UTC", now)).toBeNull();
  });

  test("is found years ahead, when only a date opens the campaign", () => {
    const rules = { dates: { "2031-02-28": { active: true } } };
    const campaign = daily("09:30:00", null, { active_days: [], outreach_override_rules: rules });
    expect(nextOpening(campaign, "Asia/Kolkata", utc("2026-12-18T12:00"))).toEqual(utc("2031-02-28T04:00"));
  });

  test("is found behind a year of closed dates", () => {
    const closed: Record<string, Rule> = {};
    let date = Temporal.PlainDate.from("2026-01-01");
    for (; date.year < 2027; date = date.add({ days: 1 })) closed[date.toString()] = { active: false };
    const campaign = daily("09:00:00", "17:00:00", {
      active_days: ["thu"],
      outreach_override_rules: { dates: closed },
    });
    expect(nextOpening(campaign, "UTC", utc("2026-01-01T00:00"))).toEqual(utc("2027-01-07T09:00"));
  });

  test("where clocks go back over midnight, tomorrow's window may come before the rest of today's", () => {
    // At 00:01 on the 7th it became 23:01 on the 6th again.
    const campaign = daily("00:00:00", "23:30:00");
    expect(nextOpening(campaign, "America/St_Johns", utc("2010-11-07T02:10"))).toEqual(
      utc("2010-11-07T02:30"),
    );
    expect(isOpen(campaign, "America/St_Johns", utc("2010-11-07T02:31"))).toBe(true);
    expect(isOpen(campaign, "America/St_Johns", utc("2010-11-07T03:05"))).toBe(false);
  });

  test("what opens past the last year of four digits never opens", () => {
    const lastDay = { dates: { "9999-12-31": { active: true } } };
    const campaign = daily("20:00:00", null, { active_days: [], outreach_override_rules: lastDay });
    expect(nextOpening(campaign, NEW_YORK, utc("2026-01-01T00:00"))).toBeNull();
    const newYear = { dates: { "9999-01-01": { active: true } } };
    expect(
      nextOpening({ ...campaign, outreach_override_rules: newYear }, "UTC", utc("2026-01-01T00:00")),
    ).toEqual(utc("9999-01-01T20:00"));
  });

  test("a window that a gap swallows opens a week later", () => {
    const sundays = daily("02:10:00", "02:50:00", { active_days: ["sun"] });
    expect(nextOpening(sundays, NEW_YORK, newYork("2026-03-08T00:00"))).toEqual(newYork("2026-03-15T02:10"));
  });
});
