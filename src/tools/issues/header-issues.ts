import { isSecretHeader } from "../../egress/secret-header.ts";
import type { Issue } from "../../schemas/validation-issue.ts";

/** A value that a variable of the session fills in is not stored here. */
const isFilledIn = (value: string): boolean => /\{\{|\$\{/.test(value);

/** Whoever may read the agent can read its headers, so a credential among them is reported, but never repeated. Pure. */
export const headerIssues = (tool_headers: Readonly<Record<string, string>> | null): Issue[] =>
  Object.entries(tool_headers ?? {})
    .filter((header) => isSecretHeader(header) && !isFilledIn(header[1]))
    .map(([name]) => ({
      id: "credential-in-tool-headers",
      severity: "warning",
      message: `The header "${name}" looks like a credential. Headers of an agent are not encrypted: give it to the tool's service.`,
      path: ["tool_headers", name],
      value: name,
    }));
