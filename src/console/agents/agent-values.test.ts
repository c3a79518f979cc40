import fc from "fast-check";
import { expect, test } from "vitest";
import { settingOf, settingText, toolSetting, withToolSetting } from "./agent-values.ts";

const name = fc.constantFrom("search", "hangup", "transfer");
const settings = fc.array(
  fc.record({
    tool: name,
    field: fc.constantFrom("a", "b"),
    value: fc.option(fc.jsonValue(), { nil: undefined }),
  }),
);

test("a tool's setting is what was set last, others are untouched, and what is taken away leaves nothing behind", () => {
  fc.assert(
    fc.property(settings, (changes) => {
      const expected = new Map<string, unknown>();
      let defaults: Parameters<typeof withToolSetting>[0] = [];
      for (const { tool, field, value } of changes) {
        expected.set(`${tool} ${field}`, value);
        defaults = withToolSetting(defaults, tool, field, value);
      }
      for (const [key, value] of expected) {
        const [tool = "", field = ""] = key.split(" ");
        expect(toolSetting(defaults, tool, field)).toEqual(value);
      }
      expect(defaults.every(({ default_values }) => default_values.length > 0)).toBe(true);
      const tools = defaults.map(({ tool_name }) => tool_name);
      expect(new Set(tools).size).toBe(tools.length);
    }),
  );
});

test.each([
  ["", "string", undefined],
  ["  ", "int", undefined],
  ["12", "string", "12"],
  ["12", "int", 12],
  ["true", "boolean", true],
  ['["prices"]', "data_source_list", ["prices"]],
  ["[prices", "data_source_list", "[prices"],
])("%j typed for a %s is %j, and is shown as it was typed", (text, type, value) => {
  expect(settingOf(text, type)).toEqual(value);
  expect(settingText(settingOf(text, type))).toBe(value === undefined ? "" : text);
});
