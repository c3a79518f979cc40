import { own } from "../../expressions/member.ts";
import { jsonSchemaProblems } from "../../schemas/json-schema.ts";
import type { Issue, Path } from "../../schemas/validation-issue.ts";
import type { ToolDefinition } from "../tool-definition.ts";

export function parameterSchema(definition: ToolDefinition): Issue[] {
  const { parameters } = definition.tool.function;
  const path = ["tool", "function", "parameters"];
  const issue = (at: readonly (string | number)[], message: string, value: unknown): Issue => ({
    id: "invalid-json-schema",
    severity: "error",
    message,
    path: [...path, ...at],
    value,
  });
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) {
    return [issue([], "The parameters are described by a JSON Schema, which is an object.", parameters)];
  }
  const { type = "object" } = parameters as { type?: unknown };
  const problems = jsonSchemaProblems(parameters);
  if (problems.length === 0 && type !== "object") {
    return [issue(["type"], 'A function takes its arguments by name: the type is "object".', type)];
  }
  if (problems.length === 0) return outsideProperties(parameters, path);
  return problems.map((problem) => issue(problem.path, problem.message, problem.value));
}

/** Keywords of JSON Schema that take a schema themselves. */
const SCHEMA_KEYWORDS = new Set(
  "additionalProperties unevaluatedProperties propertyNames not if then else".split(" "),
);

/** `{ "city": { "type": "string" } }` is a valid schema, of which models see no argument. */
function outsideProperties(parameters: object, path: Path): Issue[] {
  if ("properties" in parameters) return [];
  return Object.entries(parameters)
    .filter(([name, value]) => !SCHEMA_KEYWORDS.has(name) && typeof own(value, "type") === "string")
    .map(([name]) => ({
      id: "argument-outside-properties",
      severity: "warning",
      message: `The model doesn't see the argument ${name}. Write it within "properties".`,
      path: [...path, name],
      value: name,
    }));
}
