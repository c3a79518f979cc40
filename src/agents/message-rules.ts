/**
 * Which text of a custom message is said at a moment. A rule holds inside its days and times, or
 * outside them when inverted. Of those that hold, the most specific wins: a date before weekdays, weekdays before
 * times alone, and inverted rules last, since "not on weekdays from 8 to 17" also holds on Saturday. Among equals the
 * shortest range of time wins, then the first in the list. None holds: the message's own text.
 *
 * Everything is wall-clock time of the agent, so daylight saving needs no care here.
 */
export const DAYS_OF_WEEK = ["mo", "tu", "we", "th", "fr", "sa", "su"] as const;
export type DayOfWeek = (typeof DAYS_OF_WEEK)[number];

/** The days and times of a rule; those of directory numbers read them the same way. */
type RuleHours = {
  /** `hh:mm`; the start is inside, the end is not. Not later than the start, it is on the next day. */
  time_range_start?: string | null;
  time_range_end?: string | null;
  /** `YYYY-MM-DD`. */
  date?: string | null;
  /** None chosen means every day. */
  days_of_week?: readonly DayOfWeek[] | null;
  invert: boolean;
};

export type MessageRule = RuleHours & { description: string; text: string };

export const chooseMessageText = (
  message: { text: string; rules: readonly MessageRule[] },
  at: Temporal.PlainDateTime,
): string => winningRule(message.rules, at)?.text ?? message.text;

/** The rule whose text is said; null: none holds, and the message's own text is said. */
export function winningRule<Rule extends RuleHours>(
  rules: readonly Rule[],
  at: Temporal.PlainDateTime,
): Rule | null {
  let best: Rule | null = null;
  for (const rule of rules) {
    if (holds(rule, at) && (best === null || outranks(rule, best))) best = rule;
  }
  return best;
}

/** What made a rule win over others that held: the kind of days it names, or that it holds outside its hours. */
type RuleKind = "date" | "days_of_week" | "times" | "inverted";

/** `rule`: its place in the list, from 0; null: none held. `held`: the places of all that did, the winner's among them. */
type RuleChoice = { rule: number | null; kind: RuleKind | null; held: number[] };

/** Why the text of this moment is said. */
export function explainChoice(rules: readonly RuleHours[], at: Temporal.PlainDateTime): RuleChoice {
  const winner = winningRule(rules, at);
  return {
    rule: winner === null ? null : rules.indexOf(winner),
    kind: winner === null ? null : kindOf(winner),
    held: rules.flatMap((rule, index) => (holds(rule, at) ? [index] : [])),
  };
}

/** A stretch of a day, `00:00` to `24:00`, in which one rule, or none, wins. */
type WinningStretch<Rule> = { start: string; end: string; rule: Rule | null };

/** Who wins through a day. Only where some rule begins or ends can that change. */
export function winnersOfDay<Rule extends RuleHours>(
  rules: readonly Rule[],
  day: Temporal.PlainDate,
): WinningStretch<Rule>[] {
  const bounds = rules.flatMap((rule) => {
    const { start, end } = minutesOf(rule);
    return [start, end % DAY];
  });
  const starts = [...new Set([0, ...bounds])].toSorted((a, b) => a - b);
  const stretches: WinningStretch<Rule>[] = [];
  for (const [index, from] of starts.entries()) {
    const rule = winningRule(rules, day.toPlainDateTime({ hour: Math.floor(from / 60), minute: from % 60 }));
    const end = timeText(starts[index + 1] ?? DAY);
    const last = stretches.at(-1);
    if (last?.rule === rule) last.end = end;
    else stretches.push({ start: timeText(from), end, rule });
  }
  return stretches;
}

const timeText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

export const holds = (rule: RuleHours, at: Temporal.PlainDateTime): boolean =>
  isInside(rule, at) !== rule.invert;

function isInside(rule: RuleHours, at: Temporal.PlainDateTime): boolean {
  const { start, end } = minutesOf(rule);
  const minute = at.hour * 60 + at.minute;
  const today = at.toPlainDate();
  if (minute >= start && minute < end && isOnDay(rule, today)) return true;
  // What runs past midnight belongs to the day it began on.
  return minute + DAY < end && isOnDay(rule, today.subtract({ days: 1 }));
}

function isOnDay(rule: RuleHours, day: Temporal.PlainDate): boolean {
  if (rule.date != null) return day.toString() === rule.date;
  if (!rule.days_of_week?.length) return true;
  return rule.days_of_week.includes(DAYS_OF_WEEK[day.dayOfWeek - 1] as DayOfWeek);
}

const DAY = 24 * 60;

/** Minutes from midnight; past midnight the end is more than a day's. */
function minutesOf(rule: RuleHours): { start: number; end: number } {
  const start = rule.time_range_start == null ? 0 : minuteOf(rule.time_range_start);
  const end = rule.time_range_end == null ? DAY : minuteOf(rule.time_range_end);
  return { start, end: end <= start ? end + DAY : end };
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

function outranks(rule: RuleHours, other: RuleHours): boolean {
  const more = specificity(rule) - specificity(other);
  return more !== 0 ? more > 0 : length(rule) < length(other);
}

const SPECIFICITY: Record<RuleKind, number> = { inverted: 0, times: 1, days_of_week: 2, date: 3 };

const specificity = (rule: RuleHours): number => SPECIFICITY[kindOf(rule)];

function kindOf(rule: RuleHours): RuleKind {
  if (rule.invert) return "inverted";
  if (rule.date != null) return "date";
  return rule.days_of_week?.length ? "days_of_week" : "times";
}

function length(rule: RuleHours): number {
  const { start, end } = minutesOf(rule);
  return end - start;
}
