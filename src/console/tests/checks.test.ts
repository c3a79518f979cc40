import fc from "fast-check";
import { expect, test } from "vitest";
import type { TestCaseExpectation } from "../api-types.ts";
import { checksOf, otherChecks, withChecks } from "./checks.ts";

const word = fc.stringMatching(/^[a-z]{1,5}$/);
const some = <T>(each: fc.Arbitrary<T>) =>
  fc.option(fc.array(each, { minLength: 1, maxLength: 3 }), { nil: undefined });
const anyExpectation: fc.Arbitrary<TestCaseExpectation> = fc
  .record({
    said: some(word),
    not_said: some(word),
    called: some(
      fc.oneof(
        fc.record({ tool: word }),
        fc.record({ tool: word, times: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ tool: word, arguments: fc.constant({ a: 1 }) }),
        fc.record({ tool: word, where: fc.constant("arguments.a == 1") }),
      ),
    ),
    not_called: some(word),
    order: some(word),
    steps: some(word),
    language: fc.option(word, { nil: undefined }),
    ended_by: fc.constantFrom("agent" as const, "person" as const, undefined),
    final: some(fc.record({ tool: word, result: fc.constant({ status: "booked" }) })),
  })
  .map((all) => JSON.parse(JSON.stringify(all)) as TestCaseExpectation);

type Expected = NonNullable<TestCaseExpectation["called"]>[number];
const isOther = (call: Expected): boolean => call.arguments != null || call.where != null;

test("lines that were not touched change nothing, but the order among calls", () => {
  fc.assert(
    fc.property(anyExpectation, (expected) => {
      const sorted = ({ called, ...rest }: TestCaseExpectation) => ({
        ...rest,
        ...(called && {
          called: called.toSorted((a, b) => Number(isOther(a)) - Number(isOther(b))),
        }),
      });
      expect(withChecks(expected, checksOf(expected))).toEqual(sorted(expected));
    }),
  );
});

test("without lines, only what no line shows is left", () => {
  fc.assert(
    fc.property(anyExpectation, (expected) => {
      const left = withChecks(expected, []);
      expect(checksOf(left)).toEqual([]);
      expect(otherChecks(left)).toEqual(otherChecks(expected));
    }),
  );
});

test("what a line can't show is told in words", () => {
  expect(
    otherChecks({
      called: [{ tool: "book", arguments: { name: "Ada" } }, { tool: "find" }],
      order: ["find", "book"],
      variables: { "vars.coming": true },
      final: [{ tool: "book", result: { status: "booked" } }],
      max_cost_usd: 0.01,
      said: ["DC-1A2B"],
    }),
  ).toEqual([
    'It calls book with {"name":"Ada"}',
    "It calls find, then book",
    "vars.coming is true",
    'Its last call of book: {"result":{"status":"booked"}}',
    "It costs at most $0.01",
  ]);
});
