import type { FigureUnit } from "./metric.ts";

/** Whether an alert rule fires; pure. */

export const ALERT_CONDITIONS = ["above", "below", "rises_by", "falls_by"] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export type AlertLimit = { condition: AlertCondition; threshold: number; least_sessions: number };
/** What a window's sessions say; `before`: the figure of the window before it. */
export type AlertFigure = { value: number | null; sessions: number; before: number | null };
type AlertState = "ok" | "firing";
export type AlertChange = "firing" | "reminded" | "resolved";

/** With fewer sessions than the least, or nothing to compare with, a rule is quiet. */
export function isBeyond({ condition, threshold, least_sessions }: AlertLimit, figure: AlertFigure): boolean {
  const { value, sessions, before } = figure;
  if (value === null || sessions < least_sessions) return false;
  switch (condition) {
    case "above":
      return value > threshold;
    case "below":
      return value < threshold;
    case "rises_by":
      return before !== null && before > 0 && (value - before) / before > threshold;
    case "falls_by":
      return before !== null && before > 0 && (before - value) / before > threshold;
  }
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

/** What a check changes: a rule that begins or ends to fire is told once, one that goes on at the interval it names. */
export function changeAfter(
  { state, notified_at, remind_hours }: Checked,
  beyond: boolean,
  now: Date,
): AlertChange | null {
  if (!beyond) return state === "firing" ? "resolved" : null;
  if (state !== "firing") return "firing";
  if (remind_hours === null || notified_at === null) return null;
  return now.getTime() - Date.parse(notified_at) >= remind_hours * 3_600_000 ? "reminded" : null;
}

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
  { value, sessions }: AlertFigure,
  { label, unit }: { label: string; unit: FigureUnit },
): string {
  const { condition, threshold, window_minutes } = limit;
  const share = condition === "rises_by" || condition === "falls_by";
  const bound = figureWords(threshold, share ? "percent" : unit);
  return `${label}: ${figureWords(value, unit)} of ${sessions} sessions in ${window_minutes} minutes (limit: ${NAMES[condition]} ${bound}).`;
}
