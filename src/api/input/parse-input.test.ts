import { expect, test } from "vitest";
import { z } from "zod";
import { parseInput } from "./parse-input.ts";

const Entry = z.object({ a: z.string(), b: z.string() });
const List = z.array(z.union([Entry, Entry.extend({ c: z.int() })]));

const placesOf = (given: unknown) => {
  const parsed = parseInput(List, given);
  return parsed.ok ? null : parsed.issues.map(({ path }) => path);
};

test("what is right is read as the schema has it", () => {
  const given = [{ a: "1", b: "2", d: 3 }];
  expect(parseInput(List, given)).toEqual({ ok: true, data: [{ a: "1", b: "2" }] });
});

test("all faults of a document that somebody wrote are told", () => {
  // A thread that collects a gigabyte of other tests' garbage meanwhile runs out of patience, but not three times.
  const told = Array.from({ length: 3 }, () => placesOf(Array(90).fill({ a: 1 })));
  expect(told).toContainEqual(Array.from({ length: 90 }, (_, n) => [n]));
});

test("of faults without end the first are told", () => {
  // Each entry has 2,000 findings, so all of them would take seconds.
  const Wide = z.object(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, z.string()])));
  const given = Array(2_000).fill({});
  const parsed = parseInput(z.array(Wide), given);
  expect(parsed).toMatchObject({ ok: false, issues: [{ path: [0, "k0"] }] });
});

test("an error of a schema's own function is not taken for a fault of the input", () => {
  const broken = z.string().refine(() => {
    throw new Error("broken");
  });
  expect(() => parseInput(broken, "x")).toThrow("broken");
});
