import { expect, test } from "vitest";
import { headerIssues } from "./header-issues.ts";

const named = (headers: Record<string, string> | null) =>
  headerIssues(headers).map(({ id, path, value }) => [id, path, value]);

test("a credential among an agent's headers is told by its name, or by what it looks like", () => {
  const told = (name: string) => [["credential-in-tool-headers", ["tool_headers", name], name]];
  expect(named({ "X-Api-Key": "s3cret" })).toEqual(told("X-Api-Key"));
  expect(named({ "X-Forward": "Basic dXNlcjpw" })).toEqual(told("X-Forward"));
  expect(JSON.stringify(headerIssues({ "X-Api-Key": "s3cret" }))).not.toContain("s3cret");
});

test.each<Record<string, string> | null>([
  null,
  {},
  { "X-Tenant": "north" },
  { Authorization: "Bearer {{ vars.token }}" },
])("%j holds none", (headers) => expect(headerIssues(headers)).toEqual([]));
