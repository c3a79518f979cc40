import { expect, test } from "vitest";
import { variableIssues } from "./variable-issues.ts";

const found = (...names: string[]) =>
  variableIssues(Object.fromEntries(names.map((name) => [name, "x"]))).map(({ id, value }) => [id, value]);

test("a variable of the program's own and one that no template can name are found, others are not", () => {
  expect(found("vars.session.date", "first name", "a-b", "", "{{ a }}")).toEqual([
    ["system-variable-written", "vars.session.date"],
    ["unnamable-variable", "first name"],
    ["unnamable-variable", "a-b"],
    ["unnamable-variable", ""],
    ["unnamable-variable", "{{ a }}"],
  ]);
  expect(found("vars.session.voice", "vars.प्रथम_नाम", "a.b", "7", "session_date")).toEqual([]);
});
