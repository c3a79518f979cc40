import { expect, test } from "vitest";
import { outputsOf, sentOutputs } from "./parameters.ts";

test("an answer keeps what the form does not show of it, whatever else is changed", () => {
  const stored = [
    { name: "topic", type: "string", description: "What was wanted.", return_values: ["booking", "other"] },
    { name: "count", type: "integer" },
  ];
  const [topic, count] = outputsOf(stored);
  expect(sentOutputs(outputsOf(stored))).toEqual(stored);
  expect(sentOutputs([{ ...topic!, name: "wish" }, count!])).toEqual([
    { ...stored[0], name: "wish" },
    stored[1],
  ]);
});

test("return values are read from a list or from one text with commas", () => {
  const [listed, written] = outputsOf([
    { name: "a", type: "string", return_values: ["x, y", "z"] },
    { name: "b", type: "string", return_values: "x, y" },
  ]);
  expect([listed?.return_values, written?.return_values]).toEqual([
    ["x, y", "z"],
    ["x", "y"],
  ]);
});
