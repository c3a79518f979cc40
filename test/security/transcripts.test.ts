import { expect, test } from "vitest";
import { MAX_TEXT_BYTES, readTextTranscript } from "../../src/insights/text-transcript.ts";
import { expectFreeLoop } from "../harness/loop-watch.ts";

/* Transcripts that a tenant uploads as text. They are read by the main loop when an insight runs and when they are shown. */

const filled = (line: string, bytes = MAX_TEXT_BYTES): string => line.repeat(Math.floor(bytes / line.length));
const strange = (): string => {
  let named = 0;
  const one = () => `{${Array.from({ length: 100 }, () => `"${(named++).toString(36)}":1`).join(",")}}`;
  return `[${Array.from({ length: 12_000 }, one).join(",")}]`;
};
const LINE = '{"role":"agent","content":"Hello"},';

test.each([
  ["empty objects", "application/json", () => `[${filled("{},")}7]`],
  ["members that all have names of their own", "application/json", strange],
  ["short cues", "text/vtt", () => filled("0:01.000 -->\n\n")],
  ["short lines", "text/plain", () => filled("a:\n")],
])("16 MB of %s don't hold up the main loop, and are no transcript", async (name, type, text) => {
  const given = text();
  const read = await expectFreeLoop(`a transcript of ${name}`, () => readTextTranscript(given, type));
  expect(read).toBeNull();
});

test.each([
  ["lines of JSON", "application/json", () => `[${LINE.repeat(24_000)}${LINE.slice(0, -1)}]`],
  ["lines", "text/plain", () => "Agent: Hello\n".repeat(99_000)],
])("a transcript of as many %s as may be is read", async (name, type, text) => {
  const given = text();
  const read = await expectFreeLoop(`a transcript of many ${name}`, () => readTextTranscript(given, type));
  expect(read?.length).toBeGreaterThan(20_000);
});
