import "@xyflow/react/dist/style.css";
import { useMantineColorScheme } from "@mantine/core";
import {
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from "@xyflow/react";
import { useMemo } from "react";
import type { Step } from "../api-types.ts";
import { conditionText, nextOf, placeSteps } from "./workflow.ts";
import classes from "./workflow-editor.module.css";

type Props = {
  steps: readonly Step[];
  selected: string | null;
  visited: readonly string[];
  onSelect: ((id: string) => void) | null;
  onConnect: ((from: string, to: string) => void) | null;
};

type StepNode = Node<{ step: Step; isFirst: boolean; isVisited: boolean }, "step">;

const COLUMN_px = 280;
const ROW_px = 165;
/** Conditions are cut to this length on an arrow; the step's panel has the whole text. */
const MAX_LABEL = 34;

/** Steps and the conditions that lead from one to the next; every step can be reached by keyboard. */
export function WorkflowGraph({ steps, selected, visited, onSelect, onConnect }: Props) {
  const { colorScheme } = useMantineColorScheme();
  const nodes = useMemo(() => nodesOf(steps, selected, visited), [steps, selected, visited]);
  const edges = useMemo(() => edgesOf(steps), [steps]);
  return (
    <section
      className={classes.graph}
      aria-label="Steps of the workflow"
      onKeyDown={(event) => {
        const step = event.target as HTMLElement;
        if (!step.matches(".react-flow__node") || (event.key !== "Enter" && event.key !== " ")) return;
        event.preventDefault();
        onSelect?.(step.dataset.id as string);
      }}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        colorMode={colorScheme === "auto" ? "system" : colorScheme}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.3}
        nodesDraggable={false}
        nodesConnectable={onConnect !== null}
        edgesFocusable={false}
        // Chosen here alone, and once: it may be asked whether to leave the step before.
        elementsSelectable={false}
        deleteKeyCode={null}
        onNodeClick={(_, { id }) => onSelect?.(id)}
        onConnect={({ source, target }) => onConnect?.(source, target)}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}

const NODE_TYPES = { step: StepBox };

function StepBox({ data, selected }: NodeProps<StepNode>) {
  const { step, isFirst, isVisited } = data;
  const isLast = nextOf(step).length === 0;
  // A transition of a step to itself would be hidden behind its box.
  const again = nextOf(step)
    .map((entry, index) => ({ ...entry, number: index + 1 }))
    .find(({ id }) => id === step.id);
  return (
    <div className={classes.step} data-selected={selected} data-visited={isVisited}>
      {!isFirst && <Handle type="target" position={Position.Top} />}
      <div className={classes.stepName}>
        {step.id}
        {isFirst && " · first"}
        {isLast && " · last"}
      </div>
      <div className={classes.stepGoal} dir="auto">
        {step.goal}
      </div>
      {step.inputs && step.inputs.length > 0 && (
        <div className={classes.stepInputs}>{step.inputs.map(({ name }) => name).join(", ")}</div>
      )}
      {again && (
        <div className={classes.stepGoal}>
          ↻ {again.number}. {conditionText(again.if) ?? "otherwise"}
        </div>
      )}
      <Handle type="source" position={Position.Bottom} />
    </div>
  );
}

function nodesOf(steps: readonly Step[], selected: string | null, visited: readonly string[]): StepNode[] {
  const places = placeSteps(steps);
  const inRow = new Map<number, number>();
  for (const { row } of places) inRow.set(row, (inRow.get(row) ?? 0) + 1);
  return steps.map((step, index) => {
    const { column, row } = places[index] as (typeof places)[0];
    const middle = ((inRow.get(row) ?? 1) - 1) / 2;
    return {
      id: step.id,
      type: "step",
      position: { x: (column - middle) * COLUMN_px, y: row * ROW_px },
      selected: step.id === selected,
      ariaLabel: `Step ${step.id}: ${step.goal}`,
      data: { step, isFirst: index === 0, isVisited: visited.includes(step.id) },
    };
  });
}

function edgesOf(steps: readonly Step[]): Edge[] {
  const known = new Set(steps.map(({ id }) => id));
  return steps.flatMap((step) => {
    const next = nextOf(step);
    return next.flatMap(({ id, if: condition }, at): Edge[] => {
      if (!known.has(id) || id === step.id) return [];
      const text = conditionText(condition);
      const label = text ?? (next.length > 1 ? "otherwise" : undefined);
      return [
        {
          id: `${step.id}-${at}`,
          source: step.id,
          target: id,
          type: "smoothstep",
          ...(label !== undefined && { label: shortened(`${next.length > 1 ? `${at + 1}. ` : ""}${label}`) }),
          markerEnd: { type: MarkerType.ArrowClosed },
        },
      ];
    });
  });
}

const shortened = (text: string): string =>
  text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text;
