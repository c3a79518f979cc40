import { expect, test } from "vitest";
import { ApiError } from "../server/api.ts";
import { errorOfEntry, fieldErrors, hasField, isShown } from "./field-errors.ts";

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

test("a list of texts is one field, which counts its entries from 1; the fields of a list's records stay their own", () => {
  const values = { hosts: ["a", ""], mocks: [{ tool: "" }], retention: { days: 3 } };
  const error = new ApiError(422, "", [
    at("hosts", 1),
    at("hosts", 0),
    at("mocks", 0, "tool"),
    at("retention", "days"),
  ]);
  const { fields, general } = fieldErrors(error, (path) => hasField(values, path));
  expect(fields).toEqual({ hosts: "No. 2: no\nNo. 1: no", "mocks.0.tool": "no", "retention.days": "no" });
  expect(general).toEqual([]);
  expect([0, 1, 2].map((entry) => errorOfEntry(fields.hosts, entry))).toEqual(["no", "no", null]);
  expect(isShown("No. 2: no\nNo. 1: never", "Hosts no, never")).toBe(true);
  expect(isShown("No. 2: no\nNo. 1: never", "Hosts no")).toBe(false);
});
