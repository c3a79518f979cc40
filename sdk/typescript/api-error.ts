import type { HTTPValidationError } from "./operations.ts";

export type Issue = NonNullable<HTTPValidationError["detail"]>[number];

/** What the API answered instead of a result. */
export class ApiError extends Error {
  readonly operation: string;
  readonly status: number;
  /** The API's sentence. */
  readonly detail: string;
  /** Each place of the input that is wrong, when the status is 422. */
  readonly issues: Issue[];

  constructor(operation: string, status: number, text: string) {
    const given = detailOf(text);
    const issues = Array.isArray(given) ? given.filter(isIssue) : [];
    const detail = typeof given === "string" ? given : issues.map(sentence).join(" ") || text.slice(0, 500);
    super(`${operation} answered ${status}: ${detail}`);
    this.name = "ApiError";
    this.operation = operation;
    this.status = status;
    this.detail = detail;
    this.issues = issues;
  }
}

/** What stands before Parley answers in forms of its own. */
const isIssue = (given: unknown): given is Issue =>
  typeof given === "object" && given !== null && "loc" in given && Array.isArray(given.loc) && "msg" in given;

const sentence = ({ loc, msg }: Issue): string => `${loc.join(".")}: ${msg}`;

function detailOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { detail?: unknown } | null)?.detail;
  } catch {
    return undefined;
  }
}
