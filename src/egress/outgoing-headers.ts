import { validateHeaderName, validateHeaderValue } from "node:http";

/** What the connection decides for itself; a caller who sets it changes where one message ends or whom it is for. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set(
  "host connection content-length expect keep-alive te trailer transfer-encoding upgrade proxy-connection".split(
    " ",
  ),
);

/** Why a request can't have this header. The value is never told: it may be a secret. */
export type HeaderProblem = "set by the connection" | "name" | "value";

/** To whoever saves a credential that goes into a header. */
export const NOT_CARRIED =
  "Has a character that a request can't carry, such as a line break. Paste it again without it.";

/** To whoever saves a header that no request of ours may set. */
export const SET_BY_CONNECTION = "The connection sets this header by itself. Leave it out.";

/** A text that variables filled in, in one line: a line break would start another header. */
export const headerLine = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  text.replace(/[\u0000-\u0008\u000a-\u001f\u007f]+/g, " ");

/**
 * HTTP carries Latin-1. What goes beyond it is sent as UTF-8, as curl does: the name of a caller, filled in by a variable,
 * must not decide whether a call can be made.
 */
export const carriedText = (value: string): string =>
  /[\u0100-\uffff]/.test(value) ? Buffer.from(value).toString("latin1") : value;

export function headerProblem(name: string, value: string): HeaderProblem | null {
  if (CONNECTION_HEADERS.has(name.toLowerCase())) return "set by the connection";
  try {
    validateHeaderName(name);
  } catch {
    return "name";
  }
  try {
    validateHeaderValue(name, value);
    return null;
  } catch {
    return "value";
  }
}
