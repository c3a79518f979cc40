import { counted } from "../parts/counted.ts";

/**
 * When a campaign is open, as the dialer resolves it: the rule of a date over that of its weekday over the campaign's own
 * hours, each field for itself. A port of the program's schedule, so that hours can be looked at while they are being
 * edited; a test holds the two against each other.
 */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The overrides of one weekday or date; null and absent fields inherit. */
export type DayRule = {
  active?: boolean | null | undefined;
  daily_start_time?: string | null | undefined;
  daily_end_time?: string | null | undefined;
  max_daily_calls?: number | null | undefined;
};

export type Opening = {
  daily_start_time?: string | null | undefined;
  daily_end_time?: string | null | undefined;
  max_daily_calls?: number | null | undefined;
  active_days: readonly string[];
  outreach_override_rules?:
    | {
        days?: Partial<Record<string, DayRule>> | null | undefined;
        dates?: Partial<Record<string, DayRule>> | null | undefined;
      }
    | null
    | undefined;
};

/** The source of the hours: the date's rule, the weekday's rule, or the campaign. */
export type Decider = "date" | "weekday" | "campaign";

export type OpenDay = {
  date: string;
  weekday: Weekday;
  /** Seconds since midnight; an end past 24 h lies in the night after. null: closed, for retries too. */
  window: { start_s: number; end_s: number } | null;
  /** The most new people per day; null means no limit. */
  cap: number | null;
  by: { active: Decider; start: Decider; end: Decider; cap: Decider };
};

export const DAY_s = 86_400;
const DAY_ms = DAY_s * 1000;

export function openDay(opening: Opening, date: string): OpenDay {
  const weekday = weekdayOf(date);
  const byDate = opening.outreach_override_rules?.dates?.[date];
  const byWeekday = opening.outreach_override_rules?.days?.[weekday];
  const isUsual = opening.active_days.includes(weekday);
  const active = decide(byDate?.active, byWeekday?.active, isUsual);
  const start = decide(byDate?.daily_start_time, byWeekday?.daily_start_time, opening.daily_start_time);
  const end = decide(byDate?.daily_end_time, byWeekday?.daily_end_time, opening.daily_end_time);
  const cap = decide(byDate?.max_daily_calls, byWeekday?.max_daily_calls, opening.max_daily_calls);
  const isOpen = active.value === true && cap.value !== 0;
  return {
    date,
    weekday,
    window: isOpen ? windowOf(start.value ?? null, end.value ?? null) : null,
    cap: isOpen ? (cap.value ?? null) : 0,
    by: { active: active.by, start: start.by, end: end.by, cap: cap.by },
  };
}

function decide<T>(date: T | null | undefined, weekday: T | null | undefined, campaign: T) {
  if (date !== null && date !== undefined) return { value: date, by: "date" as const };
  if (weekday !== null && weekday !== undefined) return { value: weekday, by: "weekday" as const };
  return { value: campaign, by: "campaign" as const };
}

/** An end that is not after its start lies on the next day; the same time twice is a full day. */
function windowOf(start: string | null, end: string | null): { start_s: number; end_s: number } {
  const start_s = start === null ? 0 : secondOfDay(start);
  const end_s = end === null ? DAY_s : secondOfDay(end);
  return { start_s, end_s: end_s > start_s ? end_s : end_s + DAY_s };
}

const secondOfDay = (time: string): number =>
  Number(time.slice(0, 2)) * 3600 + Number(time.slice(3, 5)) * 60 + Number(time.slice(6, 8));

/** The parts of a day's own 24 hours that are open; `night` began the day before. */
export function spansOf(day: OpenDay, before: OpenDay): { start_s: number; end_s: number; night: boolean }[] {
  const tail = before.window && before.window.end_s > DAY_s ? before.window.end_s - DAY_s : 0;
  return [
    ...(tail > 0 ? [{ start_s: 0, end_s: tail, night: true }] : []),
    ...(day.window
      ? [{ start_s: day.window.start_s, end_s: Math.min(day.window.end_s, DAY_s), night: false }]
      : []),
  ];
}

/** "09:00–17:30", "20:00–02:00, into the night", "all day", "closed". */
export function hoursText({ window }: OpenDay): string {
  if (window === null) return "closed";
  const { start_s, end_s } = window;
  if (start_s === 0 && end_s === DAY_s) return "all day";
  const text = `${clockText(start_s)}–${clockText(end_s === DAY_s ? DAY_s : end_s % DAY_s)}`;
  return end_s > DAY_s ? `${text}, into the night` : text;
}

function clockText(second: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const seconds = second % 60 === 0 ? "" : `:${two(second % 60)}`;
  return `${two(second / 3600)}:${two((second % 3600) / 60)}${seconds}`;
}

export const capText = (cap: number | null): string =>
  cap === null ? "no limit" : counted(cap, "person", "people");

const weekdayOf = (date: string): Weekday =>
  WEEKDAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] as Weekday;

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_ms).toISOString().slice(0, 10);

/** The Monday of its week. */
export const weekStart = (date: string): string => addDays(date, -WEEKDAYS.indexOf(weekdayOf(date)));

/** Whole weeks, Monday first, that hold the month of a date. */
export function monthWeeks(date: string): string[][] {
  const month = date.slice(0, 7);
  const weeks: string[][] = [];
  for (let monday = weekStart(`${month}-01`); monday.slice(0, 7) <= month; monday = addDays(monday, 7)) {
    weeks.push(WEEKDAYS.map((_, day) => addDays(monday, day)));
  }
  return weeks;
}

/** The first of the month that is so many months away. */
export function addMonths(date: string, months: number): string {
  const first = new Date(`${date.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return first.toISOString().slice(0, 10);
}
