import { expect, test } from "vitest";
import { nestsDeeperThan } from "./nesting.ts";

const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`);

test.each([
  ["a plain value", "text", 0, false],
  ["a list of plain values", [1, 2], 1, false],
  ["a list in a list", [1, [2]], 1, true],
  ["a map in a map", { a: { b: null } }, 1, true],
  ["exactly as deep", nested(500), 500, false],
  ["one deeper", nested(501), 500, true],
  ["too deep to walk", nested(100_000), 500, true],
])("%s", (_what, value, levels, deeper) => expect(nestsDeeperThan(levels, value)).toBe(deeper));
