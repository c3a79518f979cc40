import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import type { ValidationIssue } from "../api-types.ts";

const COLORS = { error: "red", warning: "yellow", info: "ink" } as const;

/** What the API found about a saved record: errors first. */
export function Findings({ issues }: { issues: ValidationIssue[] | null | undefined }) {
  if (!issues || issues.length === 0) return null;
  return (["error", "warning", "info"] as const).map((severity) => {
    const of = issues.filter((issue) => (issue.severity ?? "error") === severity);
    if (of.length === 0) return null;
    const Sign = severity === "info" ? IconInfoCircle : IconAlertTriangle;
    return (
      <Alert key={severity} color={COLORS[severity]} icon={<Sign />} title={TITLES[severity]} mb="sm">
        {of.map((issue) => (
          <div key={`${issue.id} ${issue.path ?? ""}`}>
            {issue.path && <code>{issue.path}: </code>}
            {issue.message}
          </div>
        ))}
      </Alert>
    );
  });
}

const TITLES = { error: "This has to be mended", warning: "Look at this", info: "Good to know" };
