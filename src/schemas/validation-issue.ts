import type { ValidationIssue } from "../api/schema.ts";
import { InvalidInput } from "../base/errors.ts";

export type Path = readonly (string | number)[];

/** A finding about a record before it is known how it is told: it blocks the save, or rides along with the answer. */
export type Issue = {
  /** Stable, kebab-case. */
  id: string;
  severity: "info" | "warning" | "error";
  /** A sentence that says what to do. */
  message: string;
  /** From the root of the document that was checked. */
  path: Path;
  /** What stands there. */
  value?: unknown;
};

/** Errors are refused like any broken input, each at its place below `prefix`; with none, nothing happens. */
export function refuseErrors(issues: readonly Issue[], prefix: Path): void {
  const errors = issues.filter((issue) => issue.severity === "error");
  if (errors.length === 0) return;
  throw new InvalidInput(
    errors.map(({ id, message, path }) => ({ loc: [...prefix, ...path], msg: message, type: id })),
  );
}

export const toValidationIssue = ({ id, severity, message, path, value }: Issue): ValidationIssue => ({
  id,
  severity,
  message,
  path: jsonPath(path),
  value: value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value),
});

/** `["steps", 0, "a b"]` as `$.steps[0]['a b']`. */
export function jsonPath(path: Path): string {
  const parts = path.map((part) => {
    if (typeof part === "number") return `[${part}]`;
    if (/^[A-Za-z_]\w*$/.test(part)) return `.${part}`;
    return `['${part.replace(/[\\']/g, "\\$&")}']`;
  });
  return `$${parts.join("")}`;
}
