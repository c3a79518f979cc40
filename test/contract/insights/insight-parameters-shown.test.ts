import { expect, test } from "vitest";
import { outputsOf, parametersOf, sentOutputs } from "../../../src/console/insights/parameters.ts";
import { DEFINITIONS } from "../../../src/insights/tool-definition.ts";

test("every parameter of every definition has a field, and only the outputs are written as a list of their own", () => {
  const kinds = DEFINITIONS.flatMap(({ tool_parameters }) => parametersOf(tool_parameters));
  expect(kinds.filter(({ kind }) => kind === "json").map(({ name }) => name)).toEqual(["outputs"]);
  const byName = Object.fromEntries(kinds.map((parameter) => [parameter.name, parameter]));
  expect(byName.prompt).toMatchObject({ kind: "text", required: true });
  expect(byName.temperature).toMatchObject({ kind: "number", required: false });
  expect(byName.field).toEqual({
    name: "field",
    required: false,
    kind: "choice",
    choices: ["transcript", "user", "agent"],
  });
  expect(byName.headers).toMatchObject({ kind: "texts", required: false });
  expect(byName.diarize).toMatchObject({ kind: "boolean" });
});

test("return values are read as a list or as one text, and sent as a list where there are any", () => {
  const outputs = outputsOf([
    { name: "topic", type: "string", return_values: "a, b" },
    { name: "score", type: "integer", return_values: ["1", "2"] },
    { name: "happy", type: "boolean" },
  ]);
  expect(outputs.map(({ return_values }) => return_values)).toEqual([["a", "b"], ["1", "2"], []]);
  expect(sentOutputs(outputs)[2]).toEqual({ name: "happy", type: "boolean" });
  expect(outputsOf("nonsense")).toEqual([]);
  expect(parametersOf(null)).toEqual([]);
});
