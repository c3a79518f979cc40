import { expect, test } from "vitest";
import { definition } from "../tool-definition.examples.ts";
import { sourcesOfAgent, unknownSourcesOfAgent } from "./source-issues.ts";

const search = {
  name: "search",
  definition: definition({
    static_parameters: [
      { name: "doc", required: true, type: "data_source_list" },
      { name: "tone", required: false, type: "string" },
    ],
  }),
};
const agent = (...default_values: { field_name: string; default_value: unknown }[]) => ({
  prompt_tool_defaults: [{ tool_name: "search", default_values }],
  tools: [search],
});
const known = new Set(["faq"]);

test("an agent's data sources that are not there are told at their places", () => {
  const given = agent(
    { field_name: "tone", default_value: "kind" },
    { field_name: "doc", default_value: ["faq", "prices", "{{ vars.doc }}", 1] },
  );
  expect(sourcesOfAgent(given)).toEqual(["faq", "prices"]);
  expect(unknownSourcesOfAgent(given, known)).toEqual([
    {
      id: "unknown-data-source",
      severity: "warning",
      message: 'There is no data source or label named "prices" yet.',
      path: ["prompt_tool_defaults", 0, "default_values", 1, "default_value", 1],
      value: "prices",
    },
  ]);
});

test("a bare name counts as a list of one, as it does when the tool is called", () => {
  expect(unknownSourcesOfAgent(agent({ field_name: "doc", default_value: "prices" }), known)).toMatchObject([
    { value: "prices", path: ["prompt_tool_defaults", 0, "default_values", 0, "default_value"] },
  ]);
});

test("what is given for other fields, or for tools the agent does not have, names no source", () => {
  expect(sourcesOfAgent(agent({ field_name: "tone", default_value: ["prices"] }))).toEqual([]);
  expect(sourcesOfAgent({ ...agent({ field_name: "doc", default_value: ["prices"] }), tools: [] })).toEqual(
    [],
  );
});
