import { BaseEdge, type Edge, type EdgeProps, getSmoothStepPath } from "@xyflow/react";

/** `lane`: its place among the transitions that lead to the same step. */
export type TransitionEdge = Edge<{ lane: number }, "transition">;

/** Above the step it leads to, where neighbours are a column apart. */
const ABOVE_px = 26;
const LANE_px = 18;

/**
 * A transition with its condition just before its step. In the middle of the arrows, conditions of one step would lie on
 * each other.
 */
export function TransitionArrow(props: EdgeProps<TransitionEdge>) {
  const { sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition, data, label, markerEnd } =
    props;
  const [path] = getSmoothStepPath({ sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition });
  return (
    <BaseEdge
      path={path}
      label={label}
      labelX={targetX}
      labelY={targetY - ABOVE_px - (data?.lane ?? 0) * LANE_px}
      {...(markerEnd !== undefined && { markerEnd })}
    />
  );
}
