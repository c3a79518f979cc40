import { z } from "zod";
import { DAYS_OF_WEEK, type DayOfWeek, holds } from "../agents/message-rules.ts";
import { canonicalTimezone } from "../agents/timezone.ts";
import { isCalendarDate } from "../api/schema.ts";

/**
 * Which number of a directory member is reached at a moment, in a language. Extensions and their
 * numbers are gone through in order, and the first number is reached that has no rules, or one that holds. A rule is a
 * map of texts and holds when all of them do:
 *
 *   language    `es` for any Spanish, `es-US` for that one
 *   days        `mo,we` or `mo-fr`; in its place `date`, as `2026-12-24`
 *   start_time  `22:00`, with end_time `06:00` of the next day; the end itself is outside
 *   invert      `true`: outside those days and times
 *   timezone    whose wall clock is read, in place of the agent's
 *
 * Days and times may also stand together behind a marker, `@hours mo-fr 9:00-17:00`, under a key of any name. A raw
 * answer shows the rule as it is stored; a normalized one has no marker, and one spelling of days and times.
 */
export type DirectoryRule = Readonly<Record<string, string>>;
type RuledNumber = { number: string; rules?: readonly DirectoryRule[] | null };
export type RuledExtension = { numbers?: readonly RuledNumber[] | null };

/** When a number is looked for, and for whom. */
export type LocalMoment = {
  /** What the clock on the wall shows in a rule's time zone; null for a rule that names none. */
  wallClock(timezone: string | null): Temporal.PlainDateTime;
  /** null: not known, and then no rule about languages holds. */
  language: string | null;
};

export function reachedNumber(extensions: readonly RuledExtension[], moment: LocalMoment): string | null {
  for (const { numbers } of extensions) {
    for (const { number, rules } of numbers ?? []) {
      if (!rules?.length || rules.some((rule) => ruleHolds(rule, moment))) return number;
    }
  }
  return null;
}

function ruleHolds(rule: DirectoryRule, moment: LocalMoment): boolean {
  const read = readRule(rule);
  if (!read.success) return false;
  const { language, days, date, start_time, end_time, invert, timezone } = read.data;
  if (language !== undefined && !speaks(moment.language, language)) return false;
  const hours = {
    days_of_week: days ?? null,
    date: date ?? null,
    time_range_start: start_time ?? null,
    time_range_end: end_time ?? null,
    invert: invert === "true",
  };
  return holds(hours, moment.wallClock(timezone ?? null));
}

function speaks(language: string | null, wanted: string): boolean {
  const tag = language?.toLowerCase();
  return tag === wanted.toLowerCase() || tag?.split("-")[0] === wanted.toLowerCase();
}

export function normalizedRule(rule: DirectoryRule): DirectoryRule {
  const read = readRule(rule);
  if (!read.success) return rule;
  const { days, ...texts } = read.data;
  return { ...texts, ...(days && { days: days.join(",") }) };
}

/** What is wrong with a rule, key by key; only rules without issues are stored. */
export const ruleIssues = (rule: DirectoryRule): z.core.$ZodIssue[] => readRule(rule).error?.issues ?? [];

const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;
const TIME = /^([01]?\d|2[0-3]):[0-5]\d$/;

const time = () =>
  z
    .string()
    .regex(TIME)
    .transform((text) => text.padStart(5, "0"));

const days = z.string().transform((text, context) => {
  const read = readDays(text);
  if (read) return read;
  context.addIssue({ code: "custom", message: "Input should be days, such as mo,we or mo-fr" });
  return z.NEVER;
});

const PlainRule = z
  .strictObject({
    language: z.string().regex(LANGUAGE),
    days,
    date: z.string().refine(isCalendarDate, { error: "Input should be a date, such as 2026-12-24" }),
    start_time: time(),
    end_time: time(),
    invert: z.enum(["true", "false"]),
    timezone: z.string().refine((text) => canonicalTimezone(text) !== null, {
      error: "Input should be a time zone, such as America/New_York",
    }),
  })
  .partial()
  .superRefine((rule, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message });
    if ((rule.start_time === undefined) !== (rule.end_time === undefined)) {
      refuse(
        rule.start_time === undefined ? "start_time" : "end_time",
        "start_time and end_time go together",
      );
    }
    if (rule.date !== undefined && rule.days !== undefined) {
      refuse("days", "A rule has either a date or days, not both");
    }
    if (rule.invert === "true" && !rule.date && !rule.days && !rule.start_time) {
      refuse("invert", "There are no days or times to be outside of");
    }
  });

/** Behind the marker is nothing that could not be said without; so it is unfolded first. */
const Unfolded = z.record(z.string(), z.string()).transform((rule, context) => {
  const plain: Record<string, string> = {};
  for (const [key, text] of Object.entries(rule)) {
    const said = text.startsWith("@hours") ? readHours(text) : { [key]: text };
    const again = said && Object.keys(said).find((name) => Object.hasOwn(plain, name));
    if (said && !again) Object.assign(plain, said);
    else {
      const message = again
        ? `${again} is said twice`
        : "Input should be hours, such as @hours mo-fr 09:00-17:00";
      context.addIssue({ code: "custom", path: [key], message });
    }
  }
  return plain;
});

const Rule = Unfolded.pipe(PlainRule);
const readRule = (rule: DirectoryRule) => Rule.safeParse(rule);

/** `@hours mo-fr 9:00-17:00`, or only the days, or only the times. */
function readHours(text: string): Record<string, string> | null {
  const [, days, start_time, end_time] =
    /^@hours(?:\s+([a-z][a-z,-]*))?(?:\s+(\d+:\d+)\s*-\s*(\d+:\d+))?\s*$/i.exec(text) ?? [];
  if (days === undefined && start_time === undefined) return null;
  if (days !== undefined && !readDays(days)) return null;
  if (start_time !== undefined && !(TIME.test(start_time) && TIME.test(end_time as string))) return null;
  return { ...(days && { days }), ...(start_time && { start_time, end_time: end_time as string }) };
}

/** In the order of the week, each day once. */
function readDays(text: string): DayOfWeek[] | null {
  const chosen = new Set<DayOfWeek>();
  for (const part of text.toLowerCase().split(",")) {
    const [first, last = first, more] = part
      .split("-")
      .map((day) => DAYS_OF_WEEK.indexOf(day.trim() as DayOfWeek));
    if (first === undefined || last === undefined || more !== undefined || first < 0 || last < 0) return null;
    for (let day = first; ; day = (day + 1) % 7) {
      chosen.add(DAYS_OF_WEEK[day] as DayOfWeek);
      if (day === last) break;
    }
  }
  return DAYS_OF_WEEK.filter((day) => chosen.has(day));
}
