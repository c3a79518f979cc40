import { expect, test } from "vitest";
import { numberOrNull, sent, valuesOf } from "./workflow-values.ts";

test("agents go as numbers where all of them are written as numbers are, else as names", () => {
  const sentFor = (agent_list: string[], source: "agent" | "upload" = "agent") => {
    const values = valuesOf(null);
    return sent({ ...values, source, conditions: { ...values.conditions, agent_list } }).conditions
      .agent_list;
  };
  expect(sentFor(["7", "12"])).toEqual([7, 12]);
  expect(sentFor(["7", "Front desk"])).toEqual(["7", "Front desk"]);
  expect(sentFor(["007"])).toEqual(["007"]);
  expect(sentFor(["7"], "upload")).toEqual(["7"]);
  expect(sentFor([])).toBe(null);
});

test("what is no number yet is none", () => {
  expect(["", "-", ".", "0.5", 3].map(numberOrNull)).toEqual([null, null, null, 0.5, 3]);
});
