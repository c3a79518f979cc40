import { UnstyledButton } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircle,
  IconCircleFilled,
  IconInfoCircle,
  IconRefresh,
} from "@tabler/icons-react";
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import type { Step } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { conditionWords } from "../workflows/condition.ts";
import { type PlacedIssue, worst } from "../workflows/issue-places.ts";
import { calledTools, nextOf } from "../workflows/workflow.ts";
import classes from "./studio.module.css";

/** Where a played or debugged conversation stops, and how that is changed. */
export type Breakpoints = Record<BreakpointKind, readonly string[]> & {
  toggle(kind: BreakpointKind, name: string): void;
};
export type BreakpointKind = "steps" | "guards" | "tools";

export type StepNode = Node<
  {
    step: Step;
    isFirst: boolean;
    isCurrent: boolean;
    isVisited: boolean;
    issues: readonly PlacedIssue[];
    breakpoints: Breakpoints | null;
  },
  "step"
>;

/** A step on the canvas, with what the checker found in it and where a conversation stops. */
export function StepBox({ data, selected }: NodeProps<StepNode>) {
  const { step, isFirst, isCurrent, isVisited, issues, breakpoints } = data;
  const next = nextOf(step);
  // A transition of a step to itself would be hidden behind its box.
  const again = next.findIndex(({ id }) => id === step.id);
  const severity = worst(issues);
  const Sign = severity === "info" ? IconInfoCircle : IconAlertTriangle;
  return (
    <div
      className={classes.step}
      data-selected={selected}
      data-current={isCurrent}
      data-visited={isVisited}
      data-severity={severity ?? undefined}
    >
      <Handle type="target" position={Position.Top} />
      <div className={classes.stepName}>
        {breakpoints?.steps.includes(step.id) && (
          <IconCircleFilled size={11} className={classes.stop} aria-hidden />
        )}
        {step.id}
        {isFirst && " · first"}
        {next.length === 0 && " · last"}
      </div>
      <div className={classes.stepGoal} dir="auto">
        {step.goal}
      </div>
      {step.inputs && step.inputs.length > 0 && (
        <div className={classes.stepInputs}>{step.inputs.map(({ name }) => name).join(", ")}</div>
      )}
      {again >= 0 && (
        <div className={classes.stepGoal}>
          <IconRefresh size={12} aria-label="Again" /> {again + 1}.{" "}
          {conditionWords(next[again]?.if) ?? "otherwise"}
        </div>
      )}
      {severity && (
        <div className={classes.stepIssue} title={issues.map(({ message }) => message).join("\n")}>
          <Sign size={13} aria-hidden /> {counted(issues.length, "finding")}
        </div>
      )}
      {breakpoints && <StepBreakpoints step={step} breakpoints={breakpoints} />}
      <Handle type="source" position={Position.Bottom} />
    </div>
  );
}

/** The places of a step at which a conversation can stop, apart from the step itself, which is clicked. */
function StepBreakpoints({ step, breakpoints }: { step: Step; breakpoints: Breakpoints }) {
  const hasGuards = nextOf(step).some((entry) => entry.if != null);
  const places: [BreakpointKind, string, string][] = [
    ...(hasGuards ? [["guards", step.id, "at conditions"] as [BreakpointKind, string, string]] : []),
    ...calledTools(step).map((tool): [BreakpointKind, string, string] => ["tools", tool, `before ${tool}`]),
  ];
  return (
    <div className={classes.places}>
      {places.map(([kind, name, words]) => {
        const isSet = breakpoints[kind].includes(name);
        return (
          <UnstyledButton
            key={`${kind} ${name}`}
            className={`nodrag nopan ${classes.place}`}
            aria-pressed={isSet}
            aria-label={`Stop ${words} of ${step.id}`}
            onClick={(event) => {
              event.stopPropagation();
              breakpoints.toggle(kind, name);
            }}
          >
            {isSet ? <IconCircleFilled size={10} aria-hidden /> : <IconCircle size={10} aria-hidden />}{" "}
            {words}
          </UnstyledButton>
        );
      })}
    </div>
  );
}
