import type { FigureUnit } from "./metric.ts";

/** Whether an alert rule fires; pure. */

export const ALERT_CONDITIONS = ["above", "below", "rises_by", "falls_by"] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export type AlertLimit = { condition: AlertCondition; threshold: number; least_sessions: number };
/**
 * What a window's sessions say; `before`: the figure of the window before it. `isTotal`: the figure grows with the sessions,
 * as their number and cost do.
 */
export type AlertFigure = {
  value: number | null;
  sessions: number;
  before: number | null;
  sessions_before: number;
  isTotal: boolean;
};
type AlertState = "ok" | "firing";
export type AlertChange = "firing" | "reminded" | "resolved";

/** null: too few sessions to tell, or nothing to compare with. */
export function isBeyond(limit: AlertLimit, figure: AlertFigure): boolean | null {
  const { condition, threshold } = limit;
  const { value, before } = figure;
  if (value === null || sessionsThatTell(limit, figure) < limit.least_sessions) return null;
  switch (condition) {
    case "above":
      return value > threshold;
    case "below":
      return value < threshold;
    case "rises_by":
      return isChangeBeyond(before, before === null ? 0 : value - before, threshold);
    case "falls_by":
      return isChangeBeyond(before, before === null ? 0 : before - value, threshold);
  }
}

/**
 * A comparison stands on both windows. Of a total the larger one is enough: where nobody comes any more, the figure has
 * fallen by all of it.
 */
function sessionsThatTell({ condition }: AlertLimit, figure: AlertFigure): number {
  const { sessions, sessions_before, isTotal } = figure;
  if (condition === "above" || condition === "below") return sessions;
  return isTotal ? Math.max(sessions, sessions_before) : Math.min(sessions, sessions_before);
}

function isChangeBeyond(before: number | null, change: number, threshold: number): boolean | null {
  if (before === null) return null;
  if (change <= 0) return false;
  return before > 0 ? change / before > threshold : null;
}

/**
 * Why a rule could never fire, at the field to change; null: it can. `canBeNegative`: an insight's number can, and no other
 * figure.
 */
export function neverFires(
  { condition, threshold, least_sessions }: AlertLimit,
  { unit, isCountOfAll, canBeNegative }: { unit: FigureUnit; isCountOfAll: boolean; canBeNegative: boolean },
): { field: "threshold" | "least_sessions"; why: string } | null {
  const never = (why: string, field: "threshold" | "least_sessions" = "threshold") => ({ field, why });
  if (condition === "above" && unit === "percent" && threshold >= 1)
    return never("A share is never above 1 (100 %). Write 0.05 for 5 %");
  if (condition === "falls_by" && !canBeNegative && threshold >= 1)
    return never("A figure never falls by more than 1 (100 %). Write 0.5 for by half");
  if (condition === "below" && !canBeNegative && threshold === 0) return never("No figure is below 0");
  if (condition === "below" && isCountOfAll && least_sessions >= threshold)
    return never(
      "The rule would be quiet whenever there are so few. Set it below the threshold",
      "least_sessions",
    );
  return null;
}

type Checked = { state: AlertState | null; notified_at: string | null; remind_hours: number | null };

/**
 * What a check changes: a rule notifies once when it starts to fire and once when it resolves; while it fires, it reminds at
 * its own interval. Too little data resolves nothing: a fault that keeps people away is not over.
 */
export function changeAfter(
  { state, notified_at, remind_hours }: Checked,
  beyond: boolean | null,
  now: Date,
): AlertChange | null {
  if (beyond === false) return state === "firing" ? "resolved" : null;
  if (state !== "firing") return beyond ? "firing" : null;
  if (remind_hours === null || notified_at === null) return null;
  return now.getTime() - Date.parse(notified_at) >= remind_hours * 3_600_000 ? "reminded" : null;
}

export const stateAfter = (state: AlertState | null, beyond: boolean | null): AlertState =>
  beyond === null ? (state ?? "ok") : beyond ? "firing" : "ok";

const NAMES: Record<AlertCondition, string> = {
  above: "above",
  below: "below",
  rises_by: "a rise of more than",
  falls_by: "a fall of more than",
};

/** A figure in words: "12.5 %", "340 ms". */
export function figureWords(value: number | null, unit: FigureUnit): string {
  if (value === null) return "nothing";
  const rounded = (by: number) => String(Math.round(value * by) / by);
  switch (unit) {
    case "percent":
      return `${Math.round(value * 1_000) / 10} %`;
    case "seconds":
      return `${rounded(10)} s`;
    case "milliseconds":
      return `${rounded(1)} ms`;
    case "usd":
      return `$${value.toFixed(2)}`;
    default:
      return rounded(100);
  }
}

export function alertWords(
  limit: AlertLimit & { window_minutes: number },
  figure: AlertFigure,
  { label, unit, of }: { label: string; unit: FigureUnit; of: "sessions" | "people" },
): string {
  const { condition, threshold, window_minutes } = limit;
  const { value, sessions } = figure;
  const share = condition === "rises_by" || condition === "falls_by";
  const bound = figureWords(threshold, share ? "percent" : unit);
  // A number of sessions is of nothing but these.
  const base = figure.isTotal && unit === "count" ? "" : ` of ${sessions} ${of}`;
  const told = `${label}: ${figureWords(value, unit)}${base} in ${window_minutes} minutes (limit: ${NAMES[condition]} ${bound}).`;
  return isBeyond(limit, figure) === null
    ? `${told} That is too few ${of} to tell whether the problem is over.`
    : told;
}
