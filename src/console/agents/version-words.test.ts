import { expect, test } from "vitest";
import { differencesOf, findingPlace, labelsOf, partNames } from "./version-words.ts";

test("parts that differ are named in a sentence", () => {
  expect(partNames([{ part: "instructions" }, { part: "tools" }, { part: "tool book" }])).toBe(
    "instructions, tools, and tool book",
  );
});

test("a list of names is one value, a record its values", () => {
  expect(differencesOf([{ part: "tools", before: ["a", "b"], after: ["b", "a"] }])).toEqual([
    { path: "tools", before: ["a", "b"], after: ["b", "a"] },
  ]);
  expect(differencesOf([{ part: "model", before: { model: "one" }, after: { model: "two" } }])).toEqual([
    { path: "model.model", before: "one", after: "two" },
  ]);
});

test.each([
  ["instructions", "$.context", "Instructions"],
  ["settings", "$.prompt_tool_defaults", "Settings"],
  ["languages", "$.language_configs[0].voice_display_name", "Languages"],
  ["book", "$.endpoint.url", "Tool book"],
  ["survey", "$.context.task.steps[1].on.enter[0].name", "Tool survey, step 2"],
  ["survey", "$.context.task[2].steps[0].tools.allow[1]", "Tool survey, task 3, step 1"],
  ["survey", "$.context.task[0].tools[0]", "Tool survey, task 1"],
])("a finding of %s at %s is looked for in: %s", (part, path, place) => {
  expect(findingPlace({ part, path })).toBe(place);
});

test.each([
  ["instructions", "Instructions"],
  ["model.temperature", "Temperature"],
  ["settings.wait_sound", "Sound while thinking"],
  ["greeting.text", "Greeting, Text"],
  ["greeting.rules.0.time_range_end", "Greeting, Rules, no. 1, To"],
  ["languages.language_configs.1.voice_speed", "Languages, no. 2, Speed"],
  ["tool book_appointment.definition.endpoint.timeout", "Tool book_appointment, Timeout (s)"],
  ["tool book_appointment", "Tool book_appointment"],
  ["session end tool.definition.tool.function.description", "End-of-session tool, Description"],
])("%s is called by the label of its form, %s", (path, label) => {
  expect(labelsOf([{ path, before: "a", after: "b" }])).toEqual({ [path]: label });
});
