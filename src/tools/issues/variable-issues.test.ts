import { expect, test } from "vitest";
import { variableIssues } from "./variable-issues.ts";

const found = (...names: string[]) =>
  variableIssues(Object.fromEntries(names.map((name) => [name, "openai:alloy"]))).map(({ id, value }) => [
    id,
    value,
  ]);

test("a variable of the program's own and one that no template can name are found, others are not", () => {
  expect(found("vars.session.date", "first name", "a-b", "", "{{ a }}")).toEqual([
    ["system-variable-written", "vars.session.date"],
    ["unnamable-variable", "first name"],
    ["unnamable-variable", "a-b"],
    ["unnamable-variable", ""],
    ["unnamable-variable", "{{ a }}"],
  ]);
  expect(found("vars.session.voice", "vars.प्रथम_नाम", "a.b", "7", "session_date", "vars.voice")).toEqual([]);
});

test("a misspelt system variable is found, with the one that may be meant", () => {
  const names = ["vars.session.voise", "vars.session.topic", "vars.sesion.voice", "session.voice"];
  expect(found(...names)).toEqual(names.map((name) => ["unknown-system-variable", name]));
  expect(variableIssues({ "vars.session.voise": "openai:alloy" })[0]?.message).toContain(
    '; "vars.session.voice" may be meant',
  );
});

test("a voice that there is none of is found where it is chosen", () => {
  expect(variableIssues({ "vars.session.voice": "openai:aloy" })).toEqual([
    {
      id: "unknown-voice",
      severity: "warning",
      message:
        'There is no voice "openai:aloy"; "openai:alloy" may be meant. GET /api/v1/agents/voices/available lists them as var_name.',
      path: ["variables", "vars.session.voice"],
      value: "openai:aloy",
    },
  ]);
});
