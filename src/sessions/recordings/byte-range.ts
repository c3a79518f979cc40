/** The part of a file that a `Range` header asks for, both ends included (RFC 9110, section 14). */
type ByteRange =
  /** No range, or one that may be ignored: several ranges, another unit, a malformed header. */
  | { kind: "whole" }
  | { kind: "part"; start: number; end: number }
  /** The range begins after the end of the file. */
  | { kind: "unsatisfiable" };

export function parseByteRange(header: string | undefined, size: number): ByteRange {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return { kind: "whole" };
  if (first === "") return part(Math.max(0, size - Number(last)), size - 1, size);
  const end = last === "" ? size - 1 : Number(last);
  return Number(first) > end && last !== "" ? { kind: "whole" } : part(Number(first), end, size);
}

const part = (start: number, end: number, size: number): ByteRange =>
  start >= size ? { kind: "unsatisfiable" } : { kind: "part", start, end: Math.min(end, size - 1) };
