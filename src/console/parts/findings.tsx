import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import type { ValidationIssue } from "../api-types.ts";
import { type FieldLabels, fieldLabel, placeOf } from "../server/field-labels.ts";
import { useInZone } from "../time/in-zone.ts";
import { counted } from "./counted.ts";
import { Status } from "./parts.tsx";

const COLORS = { error: "red", warning: "yellow", info: "ink" } as const;

/** What the API found about a saved record: errors first. `labels`: how its page calls the places. */
export function Findings(props: { issues: ValidationIssue[] | null | undefined; labels?: FieldLabels }) {
  const { issues, labels } = props;
  const inZone = useInZone();
  if (!issues || issues.length === 0) return null;
  return (["error", "warning", "info"] as const).map((severity) => {
    const of = issues.filter((issue) => (issue.severity ?? "error") === severity);
    if (of.length === 0) return null;
    const Sign = severity === "info" ? IconInfoCircle : IconAlertTriangle;
    return (
      <Alert key={severity} color={COLORS[severity]} icon={<Sign />} title={TITLES[severity]} mb="sm">
        {of.map((issue) => (
          <div key={`${issue.id} ${issue.path ?? ""} ${issue.message}`}>
            {issue.path && issue.path !== "$" && `${fieldLabel(placeOf(issue.path).join("."), labels)}: `}
            {inZone(issue.message)}
          </div>
        ))}
      </Alert>
    );
  });
}

const TITLES = { error: "Fix this", warning: "Check this", info: "Good to know" };

/** How many of them ask for something, for a cell of a list. */
export function FindingCount({ issues }: { issues: ValidationIssue[] | null | undefined }) {
  const count = issues?.filter(({ severity }) => severity !== "info").length ?? 0;
  if (count === 0) return <Status tone="good">OK</Status>;
  return <Status tone="warn">{counted(count, "finding")}</Status>;
}
