import { expect, test } from "vitest";
import { definition } from "../tool-definition.examples.ts";
import { otherToolsOfAgent, settingIssues, valuesOfUnknownTools } from "./setting-issues.ts";

const search = {
  name: "search",
  definition: definition({
    static_parameters: [
      { name: "doc", required: true, type: "data_source_list" },
      { name: "limit", required: true, type: "int", default: 5 },
      { name: "tone", required: false, type: "string" },
    ],
  }),
};
const agent = (...default_values: { field_name: string; default_value: unknown }[]) => ({
  prompt_tool_defaults: [{ tool_name: "search", default_values }],
  tools: [search],
});

test("a required static parameter without a value is told when the agent is saved", () => {
  const missing = {
    id: "missing-tool-setting",
    severity: "warning",
    message:
      'The tool search needs a value for "doc", or every call of it fails. Choose data sources for this agent.',
    path: ["prompt_tool_defaults"],
    value: "doc",
  };
  expect(settingIssues({ prompt_tool_defaults: [], tools: [search] })).toEqual([missing]);
  expect(settingIssues(agent({ field_name: "doc", default_value: ["faq"] }))).toEqual([]);
  expect(settingIssues(agent({ field_name: "doc", default_value: "{{ vars.doc }}" }))).toEqual([]);
});

test("an agent's empty value replaces the tool's own, and is told at its place", () => {
  const given = agent(
    { field_name: "doc", default_value: [] },
    { field_name: "limit", default_value: null },
    { field_name: "tone", default_value: "" },
  );
  expect(settingIssues(given).map(({ value, path }) => [value, path.slice(0, 4)])).toEqual([
    ["doc", ["prompt_tool_defaults", 0, "default_values", 0]],
    ["limit", ["prompt_tool_defaults", 0, "default_values", 1]],
  ]);
});

test("a value under a name that the tool doesn't have is told, with the name that may be meant", () => {
  const given = agent(
    { field_name: "doc", default_value: ["faq"] },
    { field_name: "tune", default_value: "kind" },
  );
  expect(settingIssues(given)).toEqual([
    {
      id: "unknown-tool-setting",
      severity: "warning",
      message: 'The tool search has no static parameter "tune"; "tone" may be meant.',
      path: ["prompt_tool_defaults", 0, "default_values", 1, "field_name"],
      value: "tune",
    },
  ]);
});

test("settings of tools that the agent doesn't have now are kept without a finding", () => {
  expect(settingIssues({ ...agent({ field_name: "tune", default_value: "kind" }), tools: [] })).toEqual([]);
});

test("values for a tool that doesn't exist get a warning, which suggests the agent's tool with the nearest name", () => {
  const given = {
    prompt_tool_defaults: ["search", "serch", "parked"].map((tool_name) => ({
      tool_name,
      default_values: [],
    })),
    tools: [search],
  };
  expect(otherToolsOfAgent(given)).toEqual(["serch", "parked"]);
  expect(valuesOfUnknownTools(given, new Set(["parked"]))).toEqual([
    {
      id: "unknown-tool-reference",
      severity: "warning",
      message: 'There is no tool named "serch", so nothing reads these values; "search" may be meant.',
      path: ["prompt_tool_defaults", 1, "tool_name"],
      value: "serch",
    },
  ]);
});
