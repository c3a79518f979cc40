import { expect, test } from "vitest";
import { fieldLabel, placeOf } from "./field-labels.ts";

test.each([
  ["name", "Name"],
  ["time_zone", "Time zone"],
  ["prompt_id", "Prompt"],
  ["context", "Instructions"],
  ["llm_config.temperature", "Model settings, temperature"],
  ["llm_config.reasoning.effort", "Effort"],
  ["rules.0.start_time", "Rules, no. 1, start time"],
  ["rules.0.end_time", "Rules, no. 1, To"],
  ["windows.2.hours.4.from", "Windows, no. 3, hours, no. 5, From"],
  ["", ""],
])("%j is called %j", (path, words) => {
  const labels = {
    context: "Instructions",
    llm_config: "Model settings",
    "llm_config.reasoning.effort": "Effort",
    "rules.*.end_time": "To",
    "windows.*.hours.*.from": "From",
  };
  expect(fieldLabel(path, labels)).toBe(words);
});

test("a place of a finding is read as it was written", () => {
  expect(placeOf("$.context.task.steps[0]['a \\'b'].if")).toEqual([
    "context",
    "task",
    "steps",
    0,
    "a 'b",
    "if",
  ]);
  expect(placeOf("$")).toEqual([]);
});
