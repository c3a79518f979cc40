import pg from "pg";
import { expect, test } from "vitest";
import { columnsOf, wrongIn } from "../harness/claimed-columns.ts";

const { INT8, TEXT, BOOL, TIMESTAMPTZ } = pg.types.builtins;

const wrong = (claimed: string, answered: Record<string, number>) =>
  wrongIn(
    columnsOf(claimed) as Map<string, string>,
    Object.entries(answered).map(([name, dataTypeID]) => ({ name, dataTypeID })),
  );

// Every statement that any test runs is compared so (test/harness/set-up.ts); here, that a wrong one would be found.
test.each<[string, string, Record<string, number>, string[]]>([
  [
    "a column that is not answered",
    "{ id: number; name: string }",
    { id: INT8 },
    ["claims name, which is not answered"],
  ],
  [
    "a column that is not claimed",
    "{ id: number }",
    { id: INT8, name: TEXT },
    ["answers name, which is not claimed"],
  ],
  [
    "a text that is claimed to be a number",
    "{ n: number | null }",
    { n: TEXT },
    ["claims n: number | null, answered is a string"],
  ],
  [
    "a yes or no that is claimed to be a text",
    '{ is: "a" | "b" }',
    { is: BOOL },
    ['claims is: "a" | "b", answered is a boolean'],
  ],
  [
    "nothing where all is as claimed",
    '{ id: number; status: "DONE" | null; at: string; rest: Rest }',
    { id: INT8, status: TEXT, at: TIMESTAMPTZ, rest: TEXT },
    [],
  ],
])("a statement's type is held against its answer: %s", (_, claimed, answered, expected) => {
  expect(wrong(claimed, answered)).toEqual(expected);
});
