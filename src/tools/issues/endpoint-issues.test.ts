import { expect, test } from "vitest";
import { ToolDefinition } from "../tool-definition.ts";
import { bodyOfRead } from "./endpoint-issues.ts";

const definition = (method: string, argument_location: string) =>
  ToolDefinition.parse({
    type: "endpoint",
    tool: { type: "function", function: { name: "find", description: "", parameters: { type: "object" } } },
    endpoint: { url: "https://clinic.example/slots", method, argument_location },
  });

test.each([
  ["get", "body", 1],
  ["get", "form", 1],
  ["delete", "body", 1],
  ["get", "query", 0],
  ["delete", "path", 0],
  ["post", "body", 0],
  ["put", "form", 0],
])("a %s with its arguments in the %s gets %i warnings", (method, place, count) => {
  const issues = bodyOfRead(definition(method, place));
  expect(issues).toHaveLength(count);
  for (const issue of issues) {
    expect(issue).toMatchObject({
      id: "body-with-get",
      severity: "warning",
      path: ["endpoint", "argument_location"],
    });
  }
});
