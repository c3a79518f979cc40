import type { ValidationIssue } from "../api/schema.ts";
import { type InputIssue, InvalidInput } from "../base/errors.ts";

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

/** The errors as those of any broken input are told, each at its place below `prefix`. */
export const errorsAt = (issues: readonly Issue[], prefix: Path): InputIssue[] =>
  issues
    .filter(({ severity }) => severity === "error")
    .map(({ id, message, path }) => ({ loc: [...prefix, ...path], msg: message, type: id }));

/** Errors are refused like any broken input; with none, nothing happens. */
export function refuseErrors(issues: readonly Issue[], prefix: Path): void {
  const errors = errorsAt(issues, prefix);
  if (errors.length > 0) throw new InvalidInput(errors);
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
