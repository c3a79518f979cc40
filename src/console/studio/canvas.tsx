import "@xyflow/react/dist/style.css";
import { useMantineColorScheme } from "@mantine/core";
import {
  Controls,
  type EdgeTypes,
  MarkerType,
  type NodeChange,
  type NodeTypes,
  ReactFlow,
  ReactFlowProvider,
  type ReactFlowState,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useState } from "react";
import type { StepsTask } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { shortened } from "../parts/shortened.ts";
import { conditionWords } from "../workflows/condition.ts";
import type { PlacedIssue } from "../workflows/issue-places.ts";
import { type Point, positionsOf } from "../workflows/layout.ts";
import { nextOf } from "../workflows/workflow.ts";
import { type Breakpoints, StepBox, type StepNode } from "./step-box.tsx";
import classes from "./studio.module.css";
import { TransitionArrow, type TransitionEdge } from "./transition-arrow.tsx";
import { useKept } from "./use-kept.ts";

/** What a person does on the canvas. Each has a counterpart in a form or a button. */
export type CanvasActs = {
  select(id: string): void;
  connect(from: string, to: string): void;
  /** A transition pulled to where nothing is: a new step there, while the others stay where they are shown. */
  addAt(from: string, at: Point, shown: ReadonlyMap<string, Point>): void;
  /** Where every step is to stay. */
  move(places: ReadonlyMap<string, Point>): void;
  remove(id: string): void;
  disconnect(from: string, index: number): void;
};

type Props = {
  task: StepsTask;
  selected: string | null;
  /** The step where a played or debugged conversation stands, and those it was in. */
  current?: string | null;
  visited?: readonly string[];
  /** The findings of each step. */
  issues?: ReadonlyMap<string, readonly PlacedIssue[]>;
  acts: Partial<CanvasActs>;
  /** Where a conversation is to stop; with it a click on a step sets or clears its breakpoint. */
  breakpoints?: Breakpoints | undefined;
  label?: string;
};

/** Conditions are cut to this length on an arrow; the step's form has the whole text. */
const MAX_LABEL = 34;
/** An arrow key moves a step this far. */
const NUDGE_px = 20;
const NUDGES: Record<string, Point> = {
  ArrowLeft: { x: -NUDGE_px, y: 0 },
  ArrowRight: { x: NUDGE_px, y: 0 },
  ArrowUp: { x: 0, y: -NUDGE_px },
  ArrowDown: { x: 0, y: NUDGE_px },
};
const NONE: readonly string[] = [];
const NODE_TYPES: NodeTypes = { step: StepBox };
const EDGE_TYPES: EdgeTypes = { transition: TransitionArrow };

export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

/** What is pressed in a step keeps its size on the screen while the canvas is far away. */
const zoomOf = ({ transform }: ReactFlowState): number =>
  Math.min(1, Math.max(0.4, Math.floor(transform[2] * 20) / 20));

type Size = { width: number; height: number };

/** Steps and the conditions that lead from one to the next; every step can be reached by keyboard. */
function Flow(props: Props) {
  const { task, selected, current = null, visited = NONE, issues, acts, breakpoints } = props;
  const { colorScheme } = useMantineColorScheme();
  const { screenToFlowPosition, fitView } = useReactFlow();
  const [sizes, setSizes] = useState<Record<string, Size>>({});
  /** Where steps are while they are dragged. */
  const [dragged, setDragged] = useState<ReadonlyMap<string, Point>>(new Map());
  const zoom = useStore(zoomOf);
  const [edge, selectEdge] = useState<string | null>(null);
  const positions = useMemo(
    () => positionsOf(task, new Map(Object.entries(sizes).map(([id, { height }]) => [id, height]))),
    [task, sizes],
  );

  const nodes = useKept(
    useMemo(
      () =>
        task.steps.map((step, index): StepNode => {
          const size = sizes[step.id];
          const found = issues?.get(step.id) ?? [];
          return {
            id: step.id,
            type: "step",
            position: dragged.get(step.id) ?? (positions.get(step.id) as Point),
            selected: step.id === (current ?? selected),
            ariaLabel: [
              `Step ${step.id}: ${step.goal}`,
              found.length > 0 && counted(found.length, "finding"),
              breakpoints?.steps.includes(step.id) && "breakpoint",
            ]
              .filter(Boolean)
              .join(", "),
            ...(size && { measured: size }),
            data: {
              step,
              isFirst: index === 0,
              isCurrent: step.id === current,
              isVisited: visited.includes(step.id),
              issues: found,
              breakpoints: breakpoints ?? null,
            },
          };
        }),
      [task.steps, positions, dragged, sizes, selected, current, visited, issues, breakpoints],
    ),
  );
  const edges = useKept(useMemo(() => edgesOf(task, edge), [task, edge]));

  // A step that was added elsewhere may be out of sight.
  const count = task.steps.length;
  useEffect(() => {
    if (count > 0) void fitView({ maxZoom: 1, padding: 0.15 });
  }, [count, fitView]);

  const onNodesChange = (changes: NodeChange<StepNode>[]) => {
    for (const change of changes) {
      if (change.type === "dimensions" && change.dimensions) {
        const { id, dimensions } = change;
        setSizes((before) => ({ ...before, [id]: dimensions }));
      } else if (change.type === "position" && change.position && change.dragging) {
        const { id, position } = change;
        setDragged((before) => new Map(before).set(id, position));
      }
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const id = target.dataset.id;
    if (id === undefined) return;
    if (target.matches(".react-flow__edge")) {
      if (event.key === "Delete" || event.key === "Backspace") removeEdge(id, acts);
      return;
    }
    if (!target.matches(".react-flow__node")) return;
    const nudge = NUDGES[event.key];
    if (event.key === "Enter" || event.key === " ") choose(id, props);
    else if (event.key === "Delete" && acts.remove) acts.remove(id);
    else if (nudge && acts.move) {
      const from = positions.get(id) as Point;
      acts.move(new Map(positions).set(id, { x: from.x + nudge.x, y: from.y + nudge.y }));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <section
      className={classes.graph}
      style={{ "--canvas-zoom": zoom } as CSSProperties}
      aria-label={props.label ?? "Steps of the workflow"}
      onKeyDownCapture={onKeyDown}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        colorMode={colorScheme === "auto" ? "system" : colorScheme}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.2}
        nodesDraggable={acts.move !== undefined}
        nodesConnectable={acts.connect !== undefined}
        edgesFocusable={acts.disconnect !== undefined}
        // Chosen here alone, and once: it may be asked whether to leave the step before.
        elementsSelectable={false}
        deleteKeyCode={null}
        onNodesChange={onNodesChange}
        onNodeClick={(_, { id }) => choose(id, props)}
        onEdgeClick={(_, { id, source }) => {
          selectEdge(id);
          acts.select?.(source);
        }}
        onPaneClick={() => selectEdge(null)}
        onConnect={({ source, target }) => acts.connect?.(source, target)}
        onConnectEnd={(event, { fromNode, fromHandle, toNode, toHandle }) => {
          if (!acts.addAt || !fromNode || fromHandle?.type !== "source" || toNode || toHandle) return;
          const { clientX: x, clientY: y } =
            "changedTouches" in event ? (event.changedTouches[0] as Touch) : event;
          const at = screenToFlowPosition({ x, y });
          acts.addAt(fromNode.id, { x: at.x - 95, y: at.y }, positions);
        }}
        onNodeDragStop={(_, node, moved) => {
          setDragged(new Map());
          const dropped = moved.length > 0 ? moved : [node];
          acts.move?.(new Map([...positions, ...dropped.map(({ id, position }) => [id, position] as const)]));
        }}
        // A click that trembles is no drag.
        nodeDragThreshold={4}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}

function choose(id: string, { acts, breakpoints }: Props): void {
  if (breakpoints) breakpoints.toggle("steps", id);
  else acts.select?.(id);
}

function removeEdge(edge: string, acts: Partial<CanvasActs>): void {
  const at = edge.lastIndexOf("-");
  acts.disconnect?.(edge.slice(0, at), Number(edge.slice(at + 1)));
}

function edgesOf(task: StepsTask, chosen: string | null): TransitionEdge[] {
  const lanes = new Map<string, number>();
  const known = new Set(task.steps.map(({ id }) => id));
  return task.steps.flatMap((step) => {
    const next = nextOf(step);
    return next.flatMap(({ id, if: condition }, at): TransitionEdge[] => {
      if (!known.has(id) || id === step.id) return [];
      const words = conditionWords(condition);
      const label = words ?? (next.length > 1 ? "otherwise" : undefined);
      const edge = `${step.id}-${at}`;
      const lane = lanes.get(id) ?? 0;
      if (label !== undefined) lanes.set(id, lane + 1);
      return [
        {
          id: edge,
          source: step.id,
          target: id,
          type: "transition",
          data: { lane },
          selected: edge === chosen,
          ariaLabel: `Transition from ${step.id} to ${id}, ${label ?? "always"}`,
          ...(label !== undefined && {
            label: shortened(`${next.length > 1 ? `${at + 1}. ` : ""}${label}`, MAX_LABEL),
          }),
          markerEnd: { type: MarkerType.ArrowClosed },
        },
      ];
    });
  });
}
