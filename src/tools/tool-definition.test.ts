import { describe, expect, test } from "vitest";
import { z } from "zod";
import { inputErrors } from "../api/input/input-errors.ts";
import { changed, everyField } from "./tool-definition.examples.ts";
import { parameterDefaults, ToolDefinition, tasksOf, toolFields, toolType } from "./tool-definition.ts";

const Body = z.object({ definition: ToolDefinition });

const findings = (definition: unknown) => {
  const body = { definition };
  const { error } = Body.safeParse(body);
  return error ? inputErrors("body", error.issues, body).issues : [];
};

const STEPS = ["context", "task", 0];
const START = [...STEPS, "steps", 0];
const SUBMIT = [...START, "on", "submit"];
const COMPUTE = ["context", "task", 1];

type Path = (string | number)[];
type Broken = [place: Path, value: unknown, type: string, deeper?: Path];

/** One change breaks one thing; `undefined` takes the field away. */
const broken: Broken[] = [
  [["tool"], undefined, "missing"],
  [["tool", "type"], "tool", "literal_error"],
  [["tool", "function", "name"], undefined, "missing"],
  [["tool", "function", "parameters"], undefined, "missing"],
  [["type"], "webhook", "enum"],
  [["endpoint", "method"], "POST", "enum"],
  [["endpoint", "argument_location"], undefined, "missing"],
  [["endpoint", "argument_location"], "header", "enum"],
  [["endpoint", "timeout"], 0.5, "greater_than_equal"],
  [["endpoint", "timeout"], 121, "less_than_equal"],
  [["context", "task"], "steps", "dict_type"],
  [["context", "task"], [7], "dict_type", [0]],
  [[...STEPS, "type"], undefined, "missing"],
  [[...STEPS, "type"], "loop", "enum"],
  [[...STEPS, "version"], "v2", "literal_error"],
  [[...STEPS, "metadata", "priority"], "first", "int_parsing"],
  [[...STEPS, "config"], [], "dict_type"],
  [[...STEPS, "variables", 0, "name"], undefined, "missing"],
  [[...STEPS, "variables", 0, "type"], "text", "enum"],
  [[...START, "goal"], undefined, "missing"],
  [[...START, "instructions"], 7, "list_type"],
  [[...START, "instructions", 1], 7, "string_type"],
  [[...START, "instructions", 1, "text"], undefined, "missing"],
  [[...START, "instructions", 1, "if"], 7, "string_type"],
  [[...START, "instructions", 1, "if"], { type: "cel" }, "missing", ["expression"]],
  [[...START, "tools", "allow"], "hangup", "list_type"],
  [[...START, "tools", "allowGoToStep"], "yes", "bool_type"],
  [[...START, "inputs", 0, "enum", 1], 2, "string_type"],
  [[...START, "inputs", 0, "required"], "no", "bool_type"],
  [[...SUBMIT, 0], "inc", "dict_type"],
  [[...SUBMIT, 0, "action"], undefined, "missing"],
  [[...SUBMIT, 0, "action"], "increase", "enum"],
  [[...SUBMIT, 0, "by"], 1.5, "int_from_float"],
  [[...SUBMIT, 1, "arguments"], ["a"], "dict_type"],
  [[...SUBMIT, 1, "result", "save", 0, "from"], undefined, "missing"],
  [[...SUBMIT, 1, "result", "save", 0, "to"], 7, "string_type"],
  [[...SUBMIT, 2, "role"], "agent", "enum"],
  [[...START, "next", 0, "id"], undefined, "missing"],
  [[...START, "next", 0, "requires", 0], null, "string_type"],
  [[...START, "next", 1], 7, "string_type"],
  [[...COMPUTE, "expression"], ["a"], "string_type"],
  [[...COMPUTE, "on", "start", 0, "name"], undefined, "missing"],
  [["defaults", "city", "transform", "action"], "replace", "enum"],
  [["defaults", "city", "transform", "when", "key"], undefined, "missing"],
  [["defaults", "city"], { transform: "x" }, "dict_type", ["transform"]],
  [["static_parameters", 0, "type"], "integer", "enum"],
  [["static_parameters", 0, "required"], undefined, "missing"],
  [["options", "propagate_tool_result"], 1, "bool_type"],
  [["response_display", "type"], "table", "literal_error"],
  [["response_display", "mapping", "content", "header", "path"], 7, "string_type"],
  [["response_display", "mapping", "media.imageUrl"], [], "string_type"],
  [["response_display", "mapping", "actions", 0, "icon"], "star", "enum"],
];

describe("a broken definition is told once, at the very place", () => {
  test("and the one that all of these break is whole", () => {
    expect(findings(everyField)).toEqual([]);
  });

  test.each(broken)("%j = %j: %s", (place, value, type, deeper = []) => {
    expect(findings(changed(everyField, place, value))).toEqual([
      { loc: ["body", "definition", ...place, ...deeper], msg: expect.any(String), type },
    ]);
  });

  test("faults in several places are told together, each once", () => {
    const twice = changed(changed(everyField, [...SUBMIT, 0, "by"], "x"), ["endpoint", "url"], undefined);
    const thrice = changed(twice, ["endpoint", "argument_location"], undefined);
    expect(findings(thrice).map(({ loc }) => loc.slice(2))).toEqual([
      ["endpoint", "url"],
      ["endpoint", "argument_location"],
      [...SUBMIT, 0, "by"],
    ]);
  });

  test.each<[Path, Path, string]>([
    [["endpoint"], ["argumentLocation"], "enum"],
    [[...STEPS, "variables", 0], ["value_from"], "string_type"],
    [[...START, "tools"], ["allow_go_to_step"], "bool_type"],
  ])("a fault in an earlier spelling is told at that spelling: %j %j", (place, [old], type) => {
    const present = {
      argumentLocation: "argument_location",
      value_from: "valueFrom",
      allow_go_to_step: "allowGoToStep",
    };
    const without = changed(everyField, [...place, present[old as keyof typeof present]], undefined);
    expect(findings(changed(without, [...place, old as string], 7))).toEqual([
      { loc: ["body", "definition", ...place, old], msg: expect.any(String), type },
    ]);
  });
});

describe("reading a definition", () => {
  const read = (definition: unknown) => ToolDefinition.parse(definition);
  const minimal = { tool: { function: { name: "f", description: "", parameters: {} } } };

  test("earlier spellings come out as the present ones", () => {
    const task = {
      type: "steps",
      variables: [{ name: "a", value_from: "b" }],
      steps: [
        {
          id: "A",
          goal: "g",
          instructions: "Ask.",
          tools: { allow_go_to_step: true },
          on: { enter: [{ action: "set", name: "c", value_from: { type: "cel", expression: "1" } }] },
        },
      ],
    };
    const endpoint = { url: "https://a.example", method: "get", argumentLocation: "query" };
    expect(read({ ...minimal, endpoint, context: { task } })).toEqual({
      tool: { type: "function", ...minimal.tool },
      endpoint: { url: "https://a.example", method: "get", argument_location: "query" },
      context: {
        task: {
          type: "steps",
          version: "v1alpha",
          start: "auto",
          variables: [{ name: "a", valueFrom: "b" }],
          steps: [
            {
              id: "A",
              goal: "g",
              instructions: ["Ask."],
              tools: { allowGoToStep: true },
              on: { enter: [{ action: "set", name: "c", valueFrom: { type: "cel", expression: "1" } }] },
            },
          ],
        },
      },
    });
  });

  test("unknown fields are kept in what an author writes for us, and dropped where other programs send their own", () => {
    const kept = read({
      ...minimal,
      tool: { function: { ...minimal.tool.function, strict: true } },
      colour: "red",
      defaults: { city: { any: { thing: 1 } } },
      context: {
        task: {
          type: "event",
          config: { any: [1] },
          colour: "red",
          on: { start: [{ action: "inc", name: "n", size: 2, if: { expression: "a", of: 1 } }] },
        },
      },
    });
    expect(kept).toHaveProperty("colour", "red");
    expect(kept.tool.function).not.toHaveProperty("strict");
    expect(kept.defaults).toEqual({ city: { any: { thing: 1 } } });
    expect(kept.context?.task).toEqual({
      type: "event",
      version: "v1alpha",
      config: { any: [1] },
      colour: "red",
      on: {
        start: [{ action: "inc", name: "n", by: 1, size: 2, if: { type: "jp", expression: "a", of: 1 } }],
      },
    });
  });

  test("one data source without its list becomes a list", () => {
    const doc = { name: "doc", required: true, type: "data_source_list", default: "faq" };
    expect(read({ ...minimal, static_parameters: [doc] }).static_parameters).toEqual([
      { ...doc, default: ["faq"] },
    ]);
  });

  test("reading what was read changes nothing", () => {
    const once = read(everyField);
    expect(read(once)).toEqual(once);
  });

  test.each([
    [{ type: "log", endpoint: everyField.endpoint }, "log"],
    [{ type: null, context: { task: [] }, endpoint: everyField.endpoint }, "context"],
    [{ endpoint: everyField.endpoint }, "endpoint"],
    [{}, "action"],
  ])("without a type, what it has tells it: %j", (more, type) => {
    expect(toolType(read({ ...minimal, ...more }))).toBe(type);
  });

  test("tasks are found one by one, alone or in a list", () => {
    const one = { type: "event" };
    const paths = (task: unknown) => tasksOf(read({ ...minimal, context: { task } })).map(({ path }) => path);
    expect(paths(one)).toEqual([["context", "task"]]);
    expect(paths([one, one])).toEqual([
      ["context", "task", 0],
      ["context", "task", 1],
    ]);
    expect(tasksOf(read(minimal))).toEqual([]);
  });

  test("an object is a rule for an argument only when transform is its single key", () => {
    const transform = { action: "remove" };
    const defaults = { a: { transform }, b: { transform, more: 1 }, c: "Queens" };
    expect(parameterDefaults(read({ ...minimal, defaults }))).toEqual([
      ["a", { kind: "transform", transform }],
      ["b", { kind: "plain", value: defaults.b }],
      ["c", { kind: "plain", value: "Queens" }],
    ]);
    expect(parameterDefaults(read({ ...minimal, defaults: ["a"] }))).toEqual([]);
  });

  test("the fields of a tool are the model's arguments, then the static parameters, each once", () => {
    expect(toolFields(read(everyField))).toEqual(["city", "when", "clinic"]);
  });
});
