import { randomBase62 } from "./ids.ts";
import type { Log } from "./log.ts";
import { storableText } from "./storable.ts";

/**
 * An error with a message for the people who use the product: it may be returned and stored as it is. Where the message
 * quotes a carrier, a model or a file, characters that PostgreSQL can't store are left out.
 */
export abstract class PublicError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(storableText(message), options);
  }
}

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
  /** The body is of a kind that this operation does not read. */
  | "wrong-media-type"
  | "too-many"
  /** A limit of the organization that only deleting or the operator can lift. */
  | "used-up"
  /** Nothing here can do it (no carrier configured). */
  | "unsupported"
  /** Something outside that we depend on failed. */
  | "unavailable";

/** `message` tells the caller what to do; `internal` is for the log only. */
export class Fault extends PublicError {
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
export class InvalidInput extends PublicError {
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

/**
 * What an answer or a record may say of anything thrown. The words of other errors name tables, files, hosts and functions
 * of this installation: they go to the log, under a reference that is told instead.
 */
export function publicText(error: unknown, log: Pick<Log, "error">, about: string): string {
  if (error instanceof PublicError) return error.message;
  if (isDiskFull(error)) {
    log.error({ err: error }, about);
    return NO_ROOM;
  }
  const reference = randomBase62(10);
  log.error({ err: error, reference }, about);
  return `This is a fault of the program. Quote ${reference} to the operator of this installation.`;
}

const NO_ROOM =
  "The disk of this installation was full. Tell its operator, and try again when there is room.";

/** The disk is full, where PostgreSQL keeps its files (53100) or where we keep ours. */
export const isDiskFull = (error: unknown): boolean =>
  ["53100", "ENOSPC", "EDQUOT"].includes((error as { code?: string } | null)?.code ?? "");

/** The text of anything thrown, for logs and the operator's own terminal; `publicText` is for everybody else. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why a file or folder that somebody at a terminal named can't be written. */
export function unwritable(named: string, error: unknown): Fault {
  const { code } = error as NodeJS.ErrnoException;
  const why: Record<string, string> = {
    ENOENT: `${named} can't be written: its folder isn't there. Make the folder, or name another one.`,
    ENOTDIR: `${named} can't be written: a part of its path is a file. Name another one.`,
    EISDIR: `${named} is a folder. Name a file.`,
    EACCES: `This user may not write ${named}. Name a place where it may.`,
    ENOSPC: `${named} can't be written: the disk is full.`,
  };
  const other = `${named} can't be written (${code ?? errorText(error)}). Name another place.`;
  return new Fault("refused", (code && why[code]) || other, { cause: error });
}

/** Why a file or folder that somebody at a terminal named can't be read. */
export function unreadable(named: string, error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return `There is no ${named}.`;
    case "EISDIR":
      return `${named} is a folder. Name a file.`;
    case "ENOTDIR":
      return `${named} is no folder.`;
    case "EACCES":
      return `This user may not read ${named}.`;
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return `${named} is no text in UTF-8. Save it as UTF-8.`;
    default:
      return `${named} can't be read (${errorText(error)}).`;
  }
}
