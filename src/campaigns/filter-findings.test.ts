import { expect, test } from "vitest";
import { TargetFilters } from "./campaign-schema.ts";
import { filterFindings } from "./filter-findings.ts";

const findings = (...rules: object[]) =>
  filterFindings({ target_filters: TargetFilters.parse({ rules }) }).map(({ id, path, message }) => [
    id,
    path,
    message,
  ]);

test("a rule that nobody can pass, and one of a field that no lookup answers, are told of", () => {
  expect(
    findings(
      { field: "line_type", op: "in" },
      { field: "caller_name", op: "eq", values: [] },
      { field: "line_typ", op: "in", values: ["mobile"] },
    ),
  ).toEqual([
    [
      "filter-without-values",
      "$.target_filters.rules[0].values",
      "The rule names no values, so nobody whose line_type is known passes it.",
    ],
    [
      "filter-without-values",
      "$.target_filters.rules[1].values",
      "The rule names no values, so nobody whose caller_name is known passes it.",
    ],
    [
      "unknown-filter-field",
      "$.target_filters.rules[2].field",
      "No lookup answers line_typ, so it is unknown of everybody. Known: line_type, error_code, carrier_name, mcc, mnc, caller_name, caller_type.",
    ],
  ]);
});

test("a value that no lookup returns gets a warning, in every kind of rule", () => {
  expect(
    findings(
      { field: "line_type", op: "in", values: ["mobile", "cell"] },
      { field: "caller_type", op: "neq", values: ["company"] },
      { field: "line_type", op: "not_in", values: ["unknown"] },
    ),
  ).toEqual([
    [
      "unknown-filter-value",
      "$.target_filters.rules[0].values[1]",
      "No lookup answers line_type with cell. Known: mobile, landline, voip, fixedVoip, nonFixedVoip, personal, tollFree, premium, sharedCost, uan, voicemail, pager.",
    ],
    [
      "unknown-filter-value",
      "$.target_filters.rules[1].values[0]",
      "No lookup answers caller_type with company. Known: BUSINESS, CONSUMER.",
    ],
    [
      "unknown-filter-value",
      "$.target_filters.rules[2].values[0]",
      "unknown is no answer of a lookup but the lack of one: on_unknown says what it counts as.",
    ],
  ]);
});

test("rules that can pass, and those that need no values, have no finding", () => {
  expect(
    findings(
      { field: "line_type", op: "in", values: ["mobile"] },
      { field: "line_type", op: "in", values: ["FixedVoIP", "tollfree"] },
      { field: "caller_type", op: "eq", values: ["business"] },
      { field: "carrier_name", op: "eq", values: ["unknown"] },
      { field: "caller_type", op: "not_in" },
      { field: "mcc", op: "exists" },
      { field: "mnc", op: "not_exists" },
    ),
  ).toEqual([]);
  expect(filterFindings({ target_filters: null })).toEqual([]);
});
