import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { readableLine } from "./readable-log.ts";

const shown = (line: object) => stripVTControlCharacters(readableLine(JSON.stringify(line)));
const time = new Date("2026-11-18T12:00:01").getTime();

test("a line shows when, how bad, what, and its fields", () => {
  expect(shown({ level: 30, time, msg: "ready", port: 8080, of: { a: [1] } })).toBe(
    "12:00:01 info  ready port=8080 of={ a: [ 1 ] }\n",
  );
  expect(shown({ level: 40, time, msg: "slow", err: { message: "no", stack: "Error: no\n  at x" } })).toBe(
    "12:00:01 warn  slow\n  no\n",
  );
  expect(shown({ level: 50, time, msg: "bad", err: { message: "no", stack: "Error: no\n  at x" } })).toBe(
    "12:00:01 error bad\n  Error: no\n    at x\n",
  );
});

test("what is no line of the log stays as it is", () => {
  for (const line of ["plain\n", "", "7", "null", '{"a":1}', "{"]) expect(readableLine(line)).toBe(line);
});

test("whatever a field holds, nothing of it reaches the terminal as a command", () => {
  fc.assert(
    fc.property(fc.string({ unit: CODE_POINT }), fc.string({ unit: CODE_POINT }), (msg, field) => {
      const line = readableLine(JSON.stringify({ level: 30, time, msg: `\u001b]0;x\u0007${msg}`, field }));
      expect(stripVTControlCharacters(line)).not.toMatch(/[^\P{Cc}\n]/u);
    }),
  );
});
