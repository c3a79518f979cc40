import fc from "fast-check";
import { expect, test } from "vitest";
import { courseOf, current, withAddresses } from "./incident-words.ts";

const HOUR_ms = 3_600_000;
const at = (hour: number) => new Date(Date.UTC(2026, 10, 18) + hour * HOUR_ms).toISOString();
const incident = (from: number, until: number) => ({
  start_datetime: at(from),
  resolution_datetime: at(until),
});
const now = (hour: number) => Date.parse(at(hour));

test("an incident is announced until it begins, under way until it is resolved, and over from then on", () => {
  const night = incident(8, 9);
  expect([7, 8, 8.99, 9, 10].map((hour) => courseOf(night, now(hour)))).toEqual([
    "ahead",
    "now",
    "now",
    "over",
    "over",
  ]);
});

test("what is not over is told, and what lasts stands before what is announced", () => {
  const hour = fc.integer({ min: 0, max: 20 });
  fc.assert(
    fc.property(fc.array(fc.tuple(hour, hour), { maxLength: 8 }), hour, (spans, moment) => {
      const all = spans.map(([from, length]) => incident(from, from + length));
      const shown = current(all, now(moment));
      expect(shown.length).toBe(all.filter((each) => courseOf(each, now(moment)) !== "over").length);
      const courses = shown.map((each) => courseOf(each, now(moment)));
      expect(courses.toSorted((one, other) => (one < other ? 1 : -1))).toEqual(courses);
    }),
  );
});

test("web addresses of an account are found without the punctuation around them, and no letter is lost", () => {
  expect(withAddresses("See https://status.example.com/a?b=1. Or (http://b.example)!")).toEqual([
    "See ",
    "https://status.example.com/a?b=1",
    ". Or (",
    "http://b.example",
    ")!",
  ]);
  expect(withAddresses("详情见https://status.example/42。谢谢")).toEqual([
    "详情见",
    "https://status.example/42",
    "。谢谢",
  ]);
  expect(withAddresses("javascript:alert(1) //x.example https:// ")).toHaveLength(1);
  const word = fc.constantFrom(
    "https://",
    "http://a.example",
    "javascript:x",
    " ",
    "\n",
    "<b>",
    ".",
    ")",
    "**",
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const pieces = withAddresses(words.join(""));
      expect(pieces.join("")).toBe(words.join(""));
      const addresses = pieces.filter((_, index) => index % 2 === 1);
      expect(addresses.filter((address) => !/^https?:\/\/[^\s<>"]+$/.test(address))).toEqual([]);
    }),
  );
});
