import type { IncidentResponse } from "../api-types.ts";
import type { Tone } from "../parts/parts.tsx";

/** The words that the API knows; others may be used. */
export const IMPACTS = ["Low", "Medium", "High", "Critical"] as const;

const TONES: Record<string, Tone> = { low: "quiet", medium: "info", high: "warn", critical: "bad" };
export const impactTone = (impact: string): Tone => TONES[impact.trim().toLowerCase()] ?? "info";

export type Course = "ahead" | "now" | "over";
export const COURSES: Record<Course, { tone: Tone; word: string }> = {
  ahead: { tone: "info", word: "announced" },
  now: { tone: "warn", word: "under way" },
  over: { tone: "good", word: "over" },
};

/** The state of an incident; its end is when it was resolved or is expected to be. */
export function courseOf(
  { start_datetime, resolution_datetime }: Pick<IncidentResponse, "start_datetime" | "resolution_datetime">,
  now_ms: number,
): Course {
  if (Date.parse(resolution_datetime) <= now_ms) return "over";
  return Date.parse(start_datetime) > now_ms ? "ahead" : "now";
}

/** Those that are not over, what lasts before what is announced, in the order they begin. */
export const current = <I extends Pick<IncidentResponse, "start_datetime" | "resolution_datetime">>(
  incidents: readonly I[],
  now_ms: number,
): I[] =>
  incidents
    .filter((incident) => courseOf(incident, now_ms) !== "over")
    .toSorted((one, other) => Date.parse(one.start_datetime) - Date.parse(other.start_datetime));

/** A text in pieces, of which every second is a web address in it. */
export const withAddresses = (text: string): string[] =>
  text.split(
    /(https?:\/\/[^\s<>"、。，．：；！？（）〈-】،؛؟۔।॥]*[^\s<>"'.,;:!?*)\]、。，．：；！？（）〈-】،؛؟۔।॥])/,
  );
