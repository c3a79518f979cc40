import fc from "fast-check";
import { expect, test } from "vitest";
import {
  COMPARISONS,
  type Condition,
  isName,
  readCondition,
  takesValue,
  writeCondition,
} from "./condition.ts";

const word = fc.oneof(
  fc.constantFrom("coming", "inputs", "local", "vars", "session", "days[0]", "x1[2][3]", "contains"),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const name = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("."))
  .filter(isName);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const operand = fc.oneof(
  fc.string().map((value) => ({ kind: "text" as const, value })),
  number.map((value) => ({ kind: "number" as const, value })),
  fc.boolean().map((value) => ({ kind: "boolean" as const, value })),
  name.map((value) => ({ kind: "name" as const, value })),
);
const line = fc
  .record({ name, comparison: fc.constantFrom(...COMPARISONS), value: operand })
  .map((each) => (takesValue(each.comparison) ? each : { ...each, value: null }));
const condition: fc.Arbitrary<Condition> = fc
  .record({
    join: fc.constantFrom("and" as const, "or" as const),
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
  })
  .map(({ join, lines }) => ({ join: lines.length === 1 ? "and" : join, lines }));

test("whatever the builder holds is read back from its expression as it was", () => {
  fc.assert(
    fc.property(condition, (given) => {
      expect(readCondition(writeCondition(given))).toEqual(given);
    }),
  );
});

test("any text is either lines, which are written and read again as the same lines, or left alone", () => {
  const pieces = fc.constantFrom(
    "a",
    "b.c",
    " == ",
    " != ",
    "`3`",
    "'x'",
    " && ",
    " || ",
    "!",
    "(",
    ")",
    "[0]",
    ">",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 9 }), (drawn) => {
      const read = readCondition(drawn.join(""));
      if (read) expect(readCondition(writeCondition(read))).toEqual(read);
    }),
  );
});

test("expressions that authors write by hand are shown as lines where lines can say them", () => {
  const lines = (source: string) => readCondition(source)?.lines.map((each) => Object.values(each));
  expect(lines("coming == `true`")).toEqual([["coming", "is", { kind: "boolean", value: true }]]);
  expect(lines("local.free > `0` && (when == 'it\\'s late')")).toEqual([
    ["local.free", "is greater than", { kind: "number", value: 0 }],
    ["when", "is", { kind: "text", value: "it's late" }],
  ]);
  expect(lines("!(local.ok) || !done || local.last_call_error")).toEqual([
    ["local.ok", "is not true", null],
    ["done", "is not true", null],
    ["local.last_call_error", "is true", null],
  ]);
  expect(lines("contains(note, 'urgent')")).toEqual([
    ["note", "contains", { kind: "text", value: "urgent" }],
  ]);
  expect(lines("other == `null`")).toEqual([["other", "has no value", null]]);
  for (const more of [
    "!local.ok",
    "length(slots) > `0`",
    "a && b || c",
    "days[?free]",
    "",
    "a ==",
    "`3` < a",
    '"a.b" == `1`',
  ])
    expect(readCondition(more), more).toBeNull();
  expect(readCondition({ type: "cel", expression: "a" })).toBeNull();
  expect(readCondition({ type: "jp", expression: "a" })?.lines).toHaveLength(1);
});
