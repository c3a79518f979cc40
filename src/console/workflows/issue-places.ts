import type { ValidationIssue } from "../api-types.ts";
import { placeOf } from "../server/field-labels.ts";

type Place = readonly (string | number)[];

/** A finding with its place as a list, so that it can be looked for below another place. */
export type PlacedIssue = {
  id: string;
  severity: "info" | "warning" | "error";
  message: string;
  path: Place;
};

export const placedIssues = (issues: readonly ValidationIssue[]): PlacedIssue[] =>
  issues.map(({ id, severity, message, path }) => ({
    id,
    severity: severity ?? "error",
    message,
    path: placeOf(path ?? "$"),
  }));

/** The findings at a place and below it, each with the rest of its own place. */
export const issuesBelow = (issues: readonly PlacedIssue[], place: Place): PlacedIssue[] =>
  issues.flatMap((issue) =>
    place.every((part, index) => issue.path[index] === part)
      ? [{ ...issue, path: issue.path.slice(place.length) }]
      : [],
  );

/** The worst of some findings, for a mark. */
export function worst(issues: readonly PlacedIssue[]): PlacedIssue["severity"] | null {
  const found = (["error", "warning", "info"] as const).find((severity) =>
    issues.some((issue) => issue.severity === severity),
  );
  return found ?? null;
}
