import type { Step, StepsTask } from "../api-types.ts";
import { nextOf } from "./workflow.ts";

/*
 * Where the steps stand on the canvas. Without positions of its own a workflow is laid out by its transitions; what
 * somebody moved is kept in `config.canvas` of the task, which the engine doesn't read (docs/decisions/0172-workflow-studio.md).
 */

export type Place = { id: string; column: number; row: number };
export type Point = { x: number; y: number };

const COLUMN_px = 280;
const ROW_px = 200;
/** Below the tallest step of a row there is this much room, for arrows and their conditions. */
const GAP_px = 100;
/** A step put beside others keeps this distance. */
const NEAR_px = 90;

/**
 * The layout of the steps: each is one row below the first step that leads to it, steps of a row side by side.
 * Unreachable steps come last.
 */
export function placeSteps(steps: readonly Step[]): Place[] {
  const rows = new Map<string, number>();
  const byId = new Map(steps.map((step) => [step.id, step]));
  const queue = steps[0] ? [steps[0].id] : [];
  if (steps[0]) rows.set(steps[0].id, 0);
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] as string;
    for (const { id: to } of nextOf(byId.get(id) as Step)) {
      if (rows.has(to) || !byId.has(to)) continue;
      rows.set(to, (rows.get(id) as number) + 1);
      queue.push(to);
    }
  }
  const below = rows.size === 0 ? 0 : Math.max(...rows.values()) + 1;
  const filled = new Map<number, number>();
  return steps.map(({ id }) => {
    const row = rows.get(id) ?? below;
    const column = filled.get(row) ?? 0;
    filled.set(row, column + 1);
    return { id, column, row };
  });
}

/**
 * Where each step stands: as somebody put it, or else as its transitions say, each row below the tallest step of the one
 * before. `heights` of steps are known once they are drawn.
 */
export function positionsOf(
  task: StepsTask,
  heights: ReadonlyMap<string, number> = new Map(),
): Map<string, Point> {
  const places = placeSteps(task.steps);
  const inRow = new Map<number, number>();
  const tallest: number[] = [];
  for (const { id, row } of places) {
    inRow.set(row, (inRow.get(row) ?? 0) + 1);
    tallest[row] = Math.max(tallest[row] ?? 0, heights.get(id) ?? 0);
  }
  const top = (row: number) =>
    tallest.slice(0, row).reduce((y, height) => y + Math.max(ROW_px, height + GAP_px), 0);
  const kept = keptPositions(task);
  return new Map(
    places.map(({ id, column, row }) => {
      const middle = ((inRow.get(row) ?? 1) - 1) / 2;
      return [id, kept.get(id) ?? { x: (column - middle) * COLUMN_px, y: top(row) }];
    }),
  );
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** What somebody moved. Whatever else stands there is left alone. */
function keptPositions({ config }: StepsTask): Map<string, Point> {
  const { canvas } = config ?? {};
  if (typeof canvas !== "object" || canvas === null || Array.isArray(canvas)) return new Map();
  return new Map(
    Object.entries(canvas).flatMap(([id, place]) => {
      const [x, y] = Array.isArray(place) ? (place as unknown[]) : [];
      return isNumber(x) && isNumber(y) ? [[id, { x, y }] as const] : [];
    }),
  );
}

export const isArranged = (task: StepsTask): boolean => keptPositions(task).size > 0;

/** Moves steps. The others stay where they are, too, instead of being laid out again with the next step. */
export function moveSteps(task: StepsTask, moved: ReadonlyMap<string, Point>): StepsTask {
  const all = positionsOf(task);
  const canvas = Object.fromEntries(
    task.steps.map(({ id }) => {
      const { x, y } = moved.get(id) ?? (all.get(id) as Point);
      return [id, [Math.round(x), Math.round(y)]];
    }),
  );
  return { ...task, config: { ...task.config, canvas } };
}

/** Forgets what was moved: the transitions say again where each step stands. */
export function arrange(task: StepsTask): StepsTask {
  if (task.config?.canvas === undefined) return task;
  const { canvas: _, ...config } = task.config;
  if (Object.keys(config).length > 0) return { ...task, config };
  const { config: __, ...rest } = task;
  return rest;
}

/** A free place below a step, or below all of them. */
export function freePlace(task: StepsTask, below: string | null): Point {
  const taken = [...positionsOf(task).values()];
  const from = below === null ? undefined : positionsOf(task).get(below);
  const bottom = Math.max(0, ...taken.map(({ y }) => y));
  const place = from
    ? { x: from.x, y: from.y + ROW_px }
    : { x: 0, y: taken.length === 0 ? 0 : bottom + ROW_px };
  while (taken.some(({ x, y }) => Math.abs(x - place.x) < NEAR_px && Math.abs(y - place.y) < NEAR_px))
    place.x += COLUMN_px;
  return place;
}
