/**
 * Why something could not be done, in words of the domain; `api/errors.ts` alone turns a kind into an HTTP status.
 */
export type FaultKind =
  | "not-authenticated"
  | "forbidden"
  | "not-found"
  /** A rule of the domain refuses this (a name already taken, a record still in use). */
  | "refused"
  /** The record is in a state that blocks this write, or has moved on since the caller read it. */
  | "blocked"
  | "conflict"
  | "too-large"
  | "too-many"
  /** Nothing here can do it (no carrier configured). */
  | "unsupported"
  /** Something outside that we depend on failed. */
  | "unavailable";

/** `message` tells the caller what to do; `internal` is for the log only. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly internal: string | undefined;
  /** Seconds after which a `too-many` or `unavailable` caller may try again. */
  readonly retry_after_s: number | undefined;

  constructor(
    kind: FaultKind,
    message: string,
    more: { internal?: string; retry_after_s?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "Fault";
    this.kind = kind;
    this.internal = more.internal;
    this.retry_after_s = more.retry_after_s;
  }
}

/** One finding about an input: where (`["body", "steps", 0, "id"]`), what was wrong, and a stable type. */
export type InputIssue = { loc: (string | number)[]; msg: string; type: string };

/** The input breaks its contract; the places that do are listed, so that they can be mended together. */
export class InvalidInput extends Error {
  readonly issues: InputIssue[];

  constructor(issues: InputIssue[]) {
    super(issues.map((issue) => `${issue.loc.join(".")}: ${issue.msg}`).join("; "));
    this.name = "InvalidInput";
    this.issues = issues;
  }
}

/** One finding at `loc`, as pydantic's custom errors read ("value_error"). */
export const invalid = (loc: (string | number)[], msg: string, type = "value_error"): InvalidInput =>
  new InvalidInput([{ loc, msg, type }]);

export const notFound = (noun: string, id: number | string): Fault =>
  new Fault("not-found", `${noun} with ID ${id} not found`);

/** Closes a `switch` over a union: adding a member without a case is a type error. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/** The text of anything thrown, for logs and traces. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
