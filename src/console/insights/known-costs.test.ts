import { expect, test } from "vitest";
import type { InsightToolSpending } from "../api-types.ts";
import { amountFigures, isLengthUnsure, runFigures, withoutCost } from "./known-costs.ts";

const price = { input_usd: 1, output_usd: 2, cached_input_usd: null, source: "list", as_of: "2026-11-01" };
const measured: InsightToolSpending = {
  insight_tool_id: 1,
  name: "summary",
  basis: "measured",
  measured_runs: 5,
  input_tokens: 800,
  output_tokens: 20,
  cost_usd: 0.00084,
  price,
  minute_price: null,
};
const unknown = { ...measured, basis: "none", input_tokens: 0, output_tokens: 0, cost_usd: 0 } as const;

test("a run that nothing is known of has no figures, one without a price no cost", () => {
  expect(runFigures(measured)).toEqual({ input_tokens: 800, output_tokens: 20, cost_usd: 0.00084 });
  expect(runFigures(unknown)).toEqual({ input_tokens: null, output_tokens: null, cost_usd: null });
  expect(runFigures({ ...measured, price: null, cost_usd: 0 })).toEqual({
    input_tokens: 800,
    output_tokens: 20,
    cost_usd: null,
  });
});

test("of what never ran 0 is known; a 0 of what ran is not", () => {
  const nothing = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };
  expect(amountFigures(0, nothing)).toEqual(nothing);
  expect(amountFigures(3, { ...nothing, input_tokens: 12 })).toEqual({
    input_tokens: 12,
    output_tokens: null,
    cost_usd: null,
  });
});

test("an estimate names the tools whose cost it leaves out; what costs nothing is none of them", () => {
  const tool = (id: number, type: string) => ({
    id,
    name: `${type} ${id}`,
    insight_tool_definition: {
      id,
      name: type,
      type,
      description: "",
      tool_parameters: [],
      tool_result_set: [],
    },
  });
  const minute_price = { minute_usd: 0.006, source: "list", as_of: "2026-11-01" };
  const tools = [tool(1, "llm"), tool(2, "llm"), tool(3, "regex"), tool(4, "transcription"), tool(5, "llm")];
  const spending = [
    measured,
    { ...unknown, insight_tool_id: 2 },
    { ...unknown, insight_tool_id: 3, price: null },
    { ...unknown, insight_tool_id: 4, price: null, minute_price },
    { ...measured, insight_tool_id: 5, price: null, cost_usd: 0 },
  ];
  expect(withoutCost(tools, spending)).toEqual(["llm 2", "llm 5"]);
});

test("what writing recordings down costs is not known whole, since they may come without their length", () => {
  const minute_price = { minute_usd: 0.006, source: "list", as_of: "2026-11" };
  const transcriber: InsightToolSpending = { ...unknown, price: null, minute_price };
  expect(isLengthUnsure("upload", [measured, transcriber])).toBe(true);
  expect(isLengthUnsure("upload", [measured])).toBe(false);
  expect(isLengthUnsure("agent", [transcriber])).toBe(false);
});
