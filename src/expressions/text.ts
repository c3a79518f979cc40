import type { Meter } from "./meter.ts";

/**
 * Characters as JMESPath counts them: code points, so that an emoji is one. Taking a text apart is four times as dear as
 * making it.
 */
export function characters(text: string, meter: Meter): string[] {
  meter.spendText(text.length * 4);
  return [...text];
}

/** Order by code point. Comparing UTF-16 units alone would put an emoji before `ﬁ` (U+FB01). */
export function compareText(a: string, b: string, meter: Meter): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  meter.spendText(i);
  return i === length ? a.length - b.length : rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
}

/** Halves of a pair stand for code points above all others. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/** Where `what` begins within the characters `from` to `to`, or null. */
export function find(
  which: "first" | "last",
  [text, what, from = 0, to]: [text: string, what: string, from?: number, to?: number],
  meter: Meter,
): number | null {
  if (text === "" || what === "") return null;
  const all = characters(text, meter);
  const start = Math.max(0, from < 0 ? from + all.length : from);
  const within = all.slice(start, to).join("");
  const at = which === "first" ? within.indexOf(what) : within.lastIndexOf(what);
  return at < 0 ? null : start + characters(within.slice(0, at), meter).length;
}

/** At most `count` cuts; the last part is the rest. */
export function split(text: string, by: string, count: number | undefined, meter: Meter): string[] {
  if (text === "" && by === "") return [];
  const parts = by === "" ? characters(text, meter) : text.split(by);
  meter.spend(parts.length);
  if (count === undefined || count >= parts.length) return parts;
  return [...parts.slice(0, count), parts.slice(count).join(by)];
}

/** `by` stands for itself, and what it puts in is not searched again. */
export function replace(
  text: string,
  what: string,
  by: string,
  count: number | undefined,
  meter: Meter,
): string {
  const parts = split(text, what, count, meter);
  meter.spendText(text.length + parts.length * by.length);
  return parts.join(by);
}

/** Character by character: as a regular expression, the end of a text is found in quadratic time. */
export function trim(
  text: string,
  chars: string | undefined,
  side: "left" | "right" | "both",
  meter: Meter,
): string {
  const all = characters(text, meter);
  const unwanted = new Set(chars ? characters(chars, meter) : undefined);
  const isUnwanted = (character: string) => (chars ? unwanted.has(character) : /[\s\u0085]/u.test(character));
  let start = 0;
  let end = all.length;
  if (side !== "right") while (start < end && isUnwanted(all[start]!)) start++;
  if (side !== "left") while (end > start && isUnwanted(all[end - 1]!)) end--;
  return all.slice(start, end).join("");
}
