import { expect, test } from "vitest";
import { around, withSteps } from "../tool-definition.examples.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { toolIssues } from "./tool-issues.ts";

const found = (definition: ToolDefinition): string[] =>
  toolIssues(definition, around)
    .filter(({ severity }) => severity !== "info")
    .map(({ id, path }) => `${id} ${path.slice(3).join(".")}`);

const EMAIL = { name: "email", type: "string" };

test("a second input of one name is found", () => {
  expect(found(withSteps({ id: "A", inputs: [EMAIL, { name: "phone" }, EMAIL] }))).toEqual([
    "duplicate-input 0.inputs.2.name",
  ]);
});

test("get and save of what their own step does not ask for are found", () => {
  const hooks = (inputs: string[]) => ({
    presubmit: [{ action: "get", inputs }],
    submit: [{ action: "save", inputs }],
  });
  expect(
    found(
      withSteps(
        { id: "A", inputs: [EMAIL], on: hooks(["email"]), next: ["B"] },
        { id: "B", inputs: [{ name: "phone" }], on: hooks(["phone", "email"]) },
      ),
    ),
  ).toEqual(["unknown-input 1.on.presubmit.0.inputs.1", "unknown-input 1.on.submit.0.inputs.1"]);
});

test("a transition that requires what no step asks for and nothing sets is found", () => {
  const requires = (name: string) => ({ id: "B", requires: [name] });
  const saved = { action: "call", name: "lookup", result: { save: [{ from: "id", to: "booking" }] } };
  const steps = (name: string) =>
    withSteps(
      {
        id: "A",
        on: { start: [{ action: "set", name: "vars.plan", value: 1 }, saved] },
        next: [requires(name)],
      },
      { id: "B", inputs: [EMAIL] },
    );
  for (const known of ["email", "plan", "vars.plan", "booking"]) expect(found(steps(known))).toEqual([]);
  expect(found(steps("emial"))).toEqual(["unknown-required-input 0.next.0.requires.0"]);
});
