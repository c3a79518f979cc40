import { Text, UnstyledButton } from "@mantine/core";
import { Status, type Tone } from "../parts/parts.tsx";
import type { PlacedIssue } from "../workflows/issue-places.ts";
import classes from "./studio.module.css";

const TONES: Record<PlacedIssue["severity"], Tone> = { error: "bad", warning: "warn", info: "info" };

/** All findings in a list, each leading to its step. */
export function FoundInWorkflow(props: {
  issues: readonly PlacedIssue[];
  byStep: ReadonlyMap<string, readonly PlacedIssue[]>;
  onSelect(step: string): void;
}) {
  const { issues, byStep, onSelect } = props;
  const inSteps = [...byStep].flatMap(([step, found]) => found.map((issue) => ({ step, issue })));
  const elsewhere = issues.filter(
    (issue) => !inSteps.some((each) => each.issue.message === issue.message && endsLike(issue, each.issue)),
  );
  if (issues.length === 0) return null;
  return (
    <ul className={classes.found} aria-label="Findings">
      {inSteps.map(({ step, issue }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings come anew with each check
        <li key={index}>
          <Status tone={TONES[issue.severity]}>{issue.severity}</Status>{" "}
          <UnstyledButton className={classes.foundStep ?? ""} onClick={() => onSelect(step)}>
            {step}
          </UnstyledButton>{" "}
          <Text span size="sm">
            {issue.message}
          </Text>
        </li>
      ))}
      {elsewhere.map((issue, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings come anew with each check
        <li key={index}>
          <Status tone={TONES[issue.severity]}>{issue.severity}</Status> <code>{issue.path.join(".")}</code>{" "}
          <Text span size="sm">
            {issue.message}
          </Text>
        </li>
      ))}
    </ul>
  );
}

const endsLike = (issue: PlacedIssue, rest: PlacedIssue): boolean =>
  JSON.stringify(issue.path.slice(issue.path.length - rest.path.length)) === JSON.stringify(rest.path) &&
  issue.path.length > rest.path.length;
