/** Dates and times of day in English words. Relative ones count from a day the prompt names; the model has no clock. */

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "mon tue wed thu fri sat sun".split(" ");
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
const DAY_THEN_MONTH = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? (\\d{4}))?(?![a-z])`);
const MONTH_THEN_DAY = new RegExp(`\\b${MONTH} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b`);

const HOURS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const HOUR = `(\\d{1,2}|${HOURS.join("|")})`;
const SPOKEN_TIME = new RegExp(`\\b(half past|quarter past|quarter to) ${HOUR}\\b|\\b${HOUR} o['’]?clock\\b`);

/** The day a prompt says it is: the first ISO date on a line that speaks of today or of the date. */
export function todayIn(text: string): string | null {
  for (const line of text.split("\n")) {
    if (!/\b(today|date|now)\b/i.test(line)) continue;
    const found = /\b\d{4}-\d{2}-\d{2}\b/.exec(line);
    const date = found && isoDate(() => Temporal.PlainDate.from(found[0]));
    if (date) return date;
  }
  return null;
}

/** The first date a text speaks of, ISO. Weekdays mean the next such day, never today; `11/21/2026` is read the US way. */
export function dateIn(text: string, today: string | null): string | null {
  const said = text.toLowerCase().replaceAll(/\s+/g, " ");
  const iso = /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(said);
  if (iso) return ymd(iso[1], iso[2], iso[3]);
  const dotted = /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/.exec(said);
  if (dotted) return ymd(dotted[3], dotted[2], dotted[1]);
  const slashed = /\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/.exec(said);
  if (slashed) return ymd(slashed[3], slashed[1], slashed[2]) ?? ymd(slashed[3], slashed[2], slashed[1]);
  const named = namedDay(said, today);
  return named ?? (today === null ? null : relativeDay(said, today));
}

function namedDay(said: string, today: string | null): string | null {
  const dayFirst = DAY_THEN_MONTH.exec(said);
  const monthFirst = dayFirst ? null : MONTH_THEN_DAY.exec(said);
  const [day, month, year] = dayFirst
    ? [dayFirst[1], dayFirst[2], dayFirst[3]]
    : [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]];
  if (day === undefined || month === undefined) return null;
  const number = String(MONTHS.indexOf(month.slice(0, 3)) + 1);
  if (year !== undefined) return ymd(year, number, day);
  if (today === null) return null;
  // Without a year the next such day is meant.
  const thisYear = Number(today.slice(0, 4));
  const date = ymd(String(thisYear), number, day);
  return date !== null && date < today ? ymd(String(thisYear + 1), number, day) : date;
}

function relativeDay(said: string, today: string): string | null {
  const day = (days: number) => isoDate(() => Temporal.PlainDate.from(today).add({ days }));
  if (/\bday after tomorrow\b/.test(said)) return day(2);
  if (/\b(tomorrow|tmrw)\b/.test(said)) return day(1);
  if (/\b(today|tonight|this (morning|afternoon|evening))\b/.test(said)) return day(0);
  if (/\byesterday\b/.test(said)) return day(-1);
  const ahead = /\bin (\d{1,3}|an?|one|two|three|four|five|six|seven) (day|week)s?\b/.exec(said);
  if (ahead?.[1] && ahead[2]) {
    const few = "one two three four five six seven".split(" ").indexOf(ahead[1]) + 1;
    return day((Number.parseInt(ahead[1], 10) || few || 1) * (ahead[2] === "week" ? 7 : 1));
  }
  const weekday = /\b(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b/.exec(said)?.[1];
  if (weekday) {
    const wanted = WEEKDAYS.indexOf(weekday.slice(0, 3)) + 1;
    return day(((wanted - Temporal.PlainDate.from(today).dayOfWeek + 6) % 7) + 1);
  }
  return /\bnext week\b/.test(said) ? day(7) : null;
}

/** The first time of day, `HH:MM`: "9:30", "9.30 pm", "at 9", "half past nine", "noon". */
export function timeIn(text: string): string | null {
  const said = text.toLowerCase().replaceAll(/\s+/g, " ");
  if (/\bnoon\b|\bmidday\b/.test(said)) return "12:00";
  if (/\bmidnight\b/.test(said)) return "00:00";
  const clock = /\b(\d{1,2})[:.](\d{2})(?::\d{2})?(?! ?\.?\d)\s?([ap]\.?m\b\.?)?/.exec(said);
  if (clock) return hhmm(clock[1], clock[2], clock[3]);
  const hour = /\b(\d{1,2})\s?([ap]\.?m\b\.?)/.exec(said) ?? /\bat (\d{1,2})\b(?! ?[\d/.-])/.exec(said);
  if (hour) return hhmm(hour[1], "0", hour[2]);
  const spoken = SPOKEN_TIME.exec(said);
  if (!spoken) return null;
  const word = spoken[2] ?? spoken[3] ?? "";
  const at = Number.parseInt(word, 10) || HOURS.indexOf(word) + 1;
  if (spoken[1] === "quarter to") return hhmm(String(at === 1 ? 12 : at - 1), "45", undefined);
  const minutes = spoken[1] === "half past" ? "30" : spoken[1] === "quarter past" ? "15" : "0";
  return hhmm(String(at), minutes, undefined);
}

function hhmm(
  hours: string | undefined,
  minutes: string | undefined,
  half: string | undefined,
): string | null {
  let hour = Number(hours);
  const minute = Number(minutes);
  if (half?.startsWith("p") && hour < 12) hour += 12;
  if (half?.startsWith("a") && hour === 12) hour = 0;
  if (!(hour <= 23 && minute <= 59)) return null;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function ymd(year: string | undefined, month: string | undefined, day: string | undefined): string | null {
  return isoDate(() =>
    Temporal.PlainDate.from(
      { year: Number(year), month: Number(month), day: Number(day) },
      { overflow: "reject" },
    ),
  );
}

/** Temporal throws for a day that doesn't exist (31 April). */
function isoDate(make: () => Temporal.PlainDate): string | null {
  try {
    return make().toString();
  } catch {
    return null;
  }
}
