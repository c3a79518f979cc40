import { describe, expect, test } from "vitest";
import { z } from "zod";
import { integer } from "../schema.ts";
import { inputErrors } from "./input-errors.ts";

const Jp = z.object({ type: z.enum(["jp", "jmespath"]).default("jp"), expression: z.string() });
const Cel = z.object({ type: z.literal("cel").default("cel"), expression: z.string() });
const Case = z.object({ case: z.array(z.string()) });
const Tagged = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("dog"), name: z.string(), version: z.literal("v1").default("v1") }),
  z.object({
    kind: z.literal("cat"),
    lives: z.int().max(9).optional(),
    legs: z.union([z.int(), z.string()]),
  }),
]);

const unions = {
  oneOrMany: z.union([Tagged, z.array(Tagged)]),
  nested: z.union([z.union([Jp, Cel]), Case, z.string()]),
  sorted: z.union([z.discriminatedUnion("type", [Jp.required(), Cel.required()]), Case, z.string()]),
  plain: z.union([
    z.object({ kind: z.literal("a"), x: z.string() }),
    z.object({ kind: z.literal("b"), y: z.string().optional() }),
  ]),
  textOrNothing: z.union([z.string().min(1), z.null()]),
  ruled: z.union([
    z.object({ rule: z.object({ action: z.enum(["add", "drop"]) }) }),
    z
      .unknown()
      .refine((value) => !(typeof value === "object" && value !== null && "rule" in value), { abort: true }),
  ]),
} satisfies Record<string, z.ZodType>;

type Case = [keyof typeof unions, unknown, { at: (string | number)[]; type: string; msg?: string }];
const cases: Case[] = [
  ["oneOrMany", { kind: "dog" }, { at: ["name"], type: "missing" }],
  ["oneOrMany", { kind: "dog", name: 7 }, { at: ["name"], type: "string_type" }],
  ["oneOrMany", { kind: "dog", name: "Rex", version: "v2" }, { at: ["version"], type: "literal_error" }],
  ["oneOrMany", { name: "Rex" }, { at: ["kind"], type: "missing" }],
  ["oneOrMany", { kind: "cow" }, { at: ["kind"], type: "enum", msg: "Input should be 'dog' or 'cat'" }],
  [
    "oneOrMany",
    [
      { kind: "cat", legs: 4 },
      { kind: "cat", legs: 4, lives: 10 },
    ],
    { at: [1, "lives"], type: "less_than_equal" },
  ],
  ["oneOrMany", [{ kind: "cow" }], { at: [0, "kind"], type: "enum" }],
  ["oneOrMany", [7], { at: [0], type: "dict_type" }],
  [
    "oneOrMany",
    { kind: "cat", legs: true },
    { at: ["legs"], type: "float_type", msg: "Input should be a valid number or a valid string" },
  ],
  [
    "oneOrMany",
    "dog",
    { at: [], type: "dict_type", msg: "Input should be a valid dictionary or a valid list" },
  ],
  ["nested", { type: "cel", expression: 5 }, { at: ["expression"], type: "string_type" }],
  ["nested", { type: "cel" }, { at: ["expression"], type: "missing" }],
  ["nested", { case: 5 }, { at: ["case"], type: "list_type" }],
  ["nested", { case: ["a", 5] }, { at: ["case", 1], type: "string_type" }],
  [
    "nested",
    { type: "js", expression: "a" },
    { at: ["type"], type: "enum", msg: "Input should be 'jp', 'jmespath' or 'cel'" },
  ],
  ["nested", 5, { at: [], type: "dict_type", msg: "Input should be a valid dictionary or a valid string" }],
  ["sorted", { type: "js", expression: "a" }, { at: ["type"], type: "enum" }],
  ["sorted", { type: "jp" }, { at: ["expression"], type: "missing" }],
  ["sorted", { case: [5] }, { at: ["case", 0], type: "string_type" }],
  ["plain", { kind: "a" }, { at: ["x"], type: "missing" }],
  ["plain", { kind: "b", y: 5 }, { at: ["y"], type: "string_type" }],
  ["plain", { kind: "c" }, { at: ["kind"], type: "enum", msg: "Input should be 'a' or 'b'" }],
  ["textOrNothing", "", { at: [], type: "string_too_short" }],
  ["ruled", { rule: { action: "keep" } }, { at: ["rule", "action"], type: "enum" }],
  ["ruled", { rule: {} }, { at: ["rule", "action"], type: "missing" }],
  ["ruled", { rule: 1 }, { at: ["rule"], type: "dict_type" }],
];

test.each([
  ["x", "int_parsing"],
  ["1.5", "int_parsing"],
  [1.5, "int_from_float"],
  [true, "int_type"],
  [[], "int_type"],
  [0, "greater_than_equal"],
])("%j where an integer from 1 is wanted: %s", (value, type) => {
  const { error } = z.object({ value: integer({ min: 1 }) }).safeParse({ value });
  expect(inputErrors("body", error?.issues ?? [], { value }).issues).toEqual([
    { loc: ["body", "value"], msg: expect.any(String), type },
  ]);
});

describe("a value that fits no branch of a union", () => {
  test.each(cases)(
    "%s %j is told once, where the branch that was meant breaks",
    (name, value, { at, ...rest }) => {
      const schema = z.object({ value: unions[name] });
      const result = schema.safeParse({ value });
      expect(result.success).toBe(false);
      const { issues } = inputErrors("body", result.error?.issues ?? [], { value });
      expect(issues).toEqual([{ loc: ["body", "value", ...at], msg: expect.any(String), ...rest }]);
    },
  );

  test.each([
    ["in a list", z.array(z.string())],
    ["in a list that a union takes", z.union([z.enum(["a"]), z.array(z.enum(["a", "b"]))])],
    ["in unions in a list", z.array(z.union([z.string(), z.array(z.string())]))],
  ])("of very many faults %s the first hundred are told, at once", (_, schema) => {
    const input = { value: Array(20_000).fill(5) };
    const { error } = z.object({ value: schema }).safeParse(input);
    // It took two seconds for a tenth of these, and four times as long for twice as many.
    const { issues } = inputErrors("body", error?.issues ?? [], input);
    expect(issues.map(({ loc }) => loc)).toEqual(
      Array.from({ length: 100 }, (_, index) => ["body", "value", index]),
    );
  });

  test("very many fields that are not permitted are told up to a hundred, too", () => {
    const input = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
    const { error } = z.strictObject({}).safeParse(input);
    expect(inputErrors("body", error?.issues ?? [], input).issues).toHaveLength(100);
  });

  test("two faults in the branch that was meant are both told", () => {
    const value = { kind: "cat", lives: 10, legs: null };
    const { error } = unions.oneOrMany.safeParse(value);
    expect(inputErrors("body", error?.issues ?? [], value).issues.map(({ loc }) => loc)).toEqual([
      ["body", "lives"],
      ["body", "legs"],
    ]);
  });

  test("a union that is missing altogether is a missing field", () => {
    const { error } = z.object({ value: unions.nested }).safeParse({});
    expect(inputErrors("body", error?.issues ?? [], {}).issues).toEqual([
      { loc: ["body", "value"], msg: "Field required", type: "missing" },
    ]);
  });
});

test("what is of the wrong type has that fault alone, however long it is", () => {
  const shape = z.object({ events: z.array(z.string()).max(3), name: z.string().min(2).max(3) });
  const told = (given: unknown) =>
    inputErrors("body", shape.safeParse(given).error?.issues ?? [], given).issues.map(({ loc, type }) => [
      loc.at(-1),
      type,
    ]);
  expect(told({ events: "session.ended", name: ["a", "b", "c", "d"] })).toEqual([
    ["events", "list_type"],
    ["name", "string_type"],
  ]);
  expect(told({ events: ["a", "b", "c", "d"], name: "a" })).toEqual([
    ["events", "too_long"],
    ["name", "string_too_short"],
  ]);
});
