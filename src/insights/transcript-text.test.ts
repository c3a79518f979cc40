import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Transcript } from "./transcript.ts";
import { hasWords, partCharacters, transcriptLines, transcriptParts } from "./transcript-text.ts";

const said = (role: string, text: string, start_time: string | number | null = null): Transcript[number] => ({
  kind: "said",
  role,
  text,
  start_time,
});
const called = {
  kind: "called" as const,
  tool_name: "find",
  arguments: { q: 1 },
  result: null,
  error: null,
  start_time: null,
};
const text = (transcript: Transcript) => transcriptLines(transcript).join("\n");

/** What ends a line, for somebody. */
const BREAK = /[\n\r\u2028\u2029\u0085\v\f]/;

describe("a transcript as a model reads it", () => {
  test("has the time since the beginning, the speaker, and calls with arguments and outcome where they happened", () => {
    expect(
      text([
        said("agent", "Hello", "2026-11-18T12:00:00.000+00:00"),
        said("user", "I want\\na refund", "2026-11-18T12:00:07.900+00:00"),
        { ...called, result: { ok: true }, start_time: "2026-11-18T13:01:02.000+00:00" },
      ]),
    ).toBe(
      [
        "[0:00] Agent: Hello",
        "[0:07] User: I want\\na refund",
        '[1:01:02] (The agent called find({"q":1}) → {"ok":true})',
      ].join("\n"),
    );
    expect(text([said("speaker 0", "x", 3.5), said("speaker 1", "y", 65)])).toBe(
      "[0:00] Speaker 0: x\n[1:01] Speaker 1: y",
    );
    expect(text([said("user", "x"), { ...called, error: "down" }])).toBe(
      'User: x\n(The agent called find({"q":1}) → failed: down)',
    );
  });

  test("shortens what a call took and gave", () => {
    expect(text([{ ...called, result: "x".repeat(10_000) }]).length).toBeLessThan(3000);
  });

  test("a speaker's name is whole in every script", () => {
    for (const name of ["मीरा", "สมหญิง", "Zoe\u0308", "علی"])
      expect(text([said(name, "x")])).toBe(`${name}: x`);
  });

  test("nobody can speak as another: a line begins with a speaker only where that speaker spoke", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            role: fc.constantFrom("user", "agent"),
            text: fc
              .array(
                fc.constantFrom(
                  "\n",
                  "\r\n",
                  "\r",
                  "\u2028",
                  "\u0085",
                  "\v",
                  "Agent: yes",
                  "[0:01] User: no",
                  " ",
                  "x",
                ),
              )
              .map((parts) => parts.join("")),
            start_time: fc.constantFrom(null, 0, 61),
          }),
        ),
        (lines) => {
          const read = text(lines.map((line) => said(line.role, line.text, line.start_time)));
          const spoken = read.split(BREAK).filter((line) => /^(?:\[[\d:]+\] )?(?:User|Agent): ?/.test(line));
          return spoken.length === lines.length;
        },
      ),
    );
  });

  test("has words when somebody spoke or something was called", () => {
    expect(hasWords([])).toBe(false);
    expect(hasWords([said("user", " \n")])).toBe(false);
    expect(hasWords([said("agent", "Hello")])).toBe(true);
    expect(hasWords([called])).toBe(true);
  });
});

describe("a long transcript", () => {
  test("is cut into as few parts as hold it: all of it, in order, and none too long", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 })), fc.integer({ min: 10, max: 50 }), (given, most) => {
        const lines = given
          .map((line) => line.replace(/[\n]/g, "").toWellFormed())
          .filter((line) => line !== "");
        const parts = transcriptParts(lines, most);
        expect(parts.every((part) => part.length <= most)).toBe(true);
        // What a cut adds is the indent of the line that goes on.
        const bare = (value: string) => value.replace(/[\n \ufffd]/g, "").replace(/[\ud800-\udfff]/g, "");
        expect(bare(parts.join(""))).toBe(bare(lines.join("")));
        for (const [index, part] of parts.entries()) {
          const next = parts[index + 1]?.split("\n")[0];
          if (next !== undefined) expect(part.length + 1 + next.length).toBeGreaterThan(most);
        }
      }),
    );
  });

  test("of one endless line is cut within it", () => {
    const parts = transcriptParts(["x".repeat(1_000_000)], 400_000);
    expect(parts.map((part) => part.length)).toEqual([400_000, 400_000, 200_004]);
  });

  test("has smaller parts for models that read less", () => {
    expect(partCharacters(null)).toBe(400_000);
    expect(partCharacters(1_000_000)).toBe(400_000);
    expect(partCharacters(128_000)).toBe(256_000);
  });
});
