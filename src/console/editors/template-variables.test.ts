import { expect, test } from "vitest";
import { isSystemName, unknownNames, variablesOf } from "./template-variables.ts";

const variables = variablesOf([
  { name: "Clinic", variables: { "vars.clinic": "North", city: "Austin" } },
  { name: "Other", variables: { "vars.clinic": "South" } },
]);

test("each variable of the agents is offered once, under its full name", () => {
  expect(variables.slice(0, 2)).toEqual([
    { name: "vars.clinic", about: "of Clinic" },
    { name: "vars.city", about: "of Clinic" },
  ]);
});

test("a text's unknown names are told once; short and full names stand in for each other", () => {
  const text =
    "{{ clinic }} {{vars.city}} {{ vars.session.date }} {{ language.mode }} {{ nam }} {{nam}} {nam}";
  expect(unknownNames(text, variables)).toEqual(["nam"]);
});

test("a misspelled system variable is told apart from a variable that a tool can set", () => {
  const unknown = unknownNames(
    "{{ vars.session.today }} {{ session.now }} {{ sessions }} {{ vars.nam }}",
    variables,
  );
  expect(unknown.filter(isSystemName)).toEqual(["vars.session.today", "session.now"]);
});
