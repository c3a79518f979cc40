import { expect, test } from "vitest";
import { ApiError } from "../server/api.ts";
import { fieldErrors } from "./field-errors.ts";

const FIELDS = new Set(["name", "llm_config.temperature", "variables"]);
const at = (...loc: (string | number)[]) => ({ loc: ["body", ...loc], msg: "no", type: "x" });

test("a finding stands at its field, or at the field that holds its value, else above the form", () => {
  const error = new ApiError(422, "", [
    at("name"),
    at("llm_config", "temperature"),
    at("variables", "city"),
    at("label"),
    at("llm_config", "top_p"),
    at(),
  ]);
  expect(fieldErrors(error, (path) => FIELDS.has(path))).toEqual({
    fields: { name: "no", "llm_config.temperature": "no", variables: "city: no" },
    general: ["Label: no", "Llm config, top p: no", "no"],
  });
});

test("a refusal without places is told above the form", () => {
  const error = new ApiError(400, "A record with this name already exists.");
  expect(fieldErrors(error, () => true).general).toEqual(["A record with this name already exists."]);
});
