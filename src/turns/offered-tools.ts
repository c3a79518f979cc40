import type { SnapshotTool } from "../agents/snapshot.ts";
import { isRecord } from "../expressions/member.ts";
import { quotedData } from "../expressions/quoted-data.ts";
import { type Lookup, renderTemplate } from "../expressions/template.ts";
import type { JsonSchema, OfferedTool, ToolChoice } from "../llm/model.ts";
import { GO_TO_STEP } from "../tools/issues/task-issues.ts";
import type { TaskSurroundings } from "../workflows/task-run.ts";
import { allowedBy, goToStepTool, isReleased, type LiveTask, taskTool } from "../workflows/task-tools.ts";
import { holdsTasks, type PendingCall } from "../workflows/workflow-state.ts";

/** What handles a tool call. */
export type ToolHandler =
  | { kind: "tool"; tool: SnapshotTool }
  | { kind: "task"; live: LiveTask }
  | { kind: "go_to_step" };

/** The tools of one request. Calls of any other tool are refused, because a prompt injection may ask for them. */
export type Offering = {
  tools: OfferedTool[];
  answerers: ReadonlyMap<string, ToolHandler>;
  /** The call that a workflow forces, with its task. */
  forced: { live: LiveTask; call: PendingCall } | null;
  choice: ToolChoice;
};

/**
 * The tools of one request, computed again after each round. A step that allows some tools hides all others, except
 * the tasks' own and those of tasks before it, so that two tasks can't lock each other out.
 */
export function offerTools(
  tools: readonly SnapshotTool[],
  tasks: readonly LiveTask[],
  around: TaskSurroundings,
  lookup: Lookup,
): Offering {
  const masks = tasks.map(allowedBy);
  const shown = new Map<string, { offered: OfferedTool; answerer: ToolHandler; allowed: boolean }>();
  for (const tool of tools) {
    if (holdsTasks(tool)) continue;
    const named = masks.every((mask) => mask === null || mask.has(tool.name) || isWayOut(tool, mask));
    const allowed = named && isReleased(tool.name, tasks);
    shown.set(tool.name, { offered: offeredTool(tool, lookup), answerer: { kind: "tool", tool }, allowed });
  }
  for (const [position, live] of tasks.entries()) {
    const offered = taskTool(live, around);
    if (!offered) continue;
    const allowed = masks.slice(0, position).every((mask) => mask === null || mask.has(offered.name));
    shown.set(offered.name, { offered, answerer: { kind: "task", live }, allowed });
  }
  const jump = goToStepTool(tasks);
  if (jump) shown.set(GO_TO_STEP, { offered: jump, answerer: { kind: "go_to_step" }, allowed: true });

  const forced = forcedCall(tasks, shown);
  const offered = [...shown].filter(([name, { allowed }]) => allowed || name === forced?.call.tool);
  return {
    tools: offered.map(([name, { offered }]) =>
      name === forced?.call.tool ? withKnown(offered, forced.call.arguments) : offered,
    ),
    answerers: new Map(offered.map(([name, { answerer }]) => [name, answerer])),
    forced,
    choice: forced ? { tool: forced.call.tool } : "auto",
  };
}

/** A step that allows no tools still allows ending the conversation; one that names tools allows exactly those. */
const isWayOut = (tool: SnapshotTool, mask: ReadonlySet<string>): boolean =>
  mask.size === 0 && tool.is_system && tool.name === "hangup";

/** The first forced call of the first task; calls of tools that are not offered are skipped. */
function forcedCall(tasks: readonly LiveTask[], shown: ReadonlyMap<string, unknown>): Offering["forced"] {
  for (const live of tasks) {
    const call = live.state.pending_calls.find((pending) => shown.has(pending.tool));
    if (call) return { live, call };
  }
  return null;
}

const withKnown = (tool: OfferedTool, known: Record<string, unknown>): OfferedTool =>
  Object.keys(known).length === 0
    ? tool
    : { ...tool, description: `${tool.description}\nKnown arguments: ${quotedData(known)}` };

/** A tool's definition for the model, with variables in its descriptions resolved by the lookup of instructions. */
export const offeredTool = ({ name, definition }: SnapshotTool, lookup: Lookup): OfferedTool => ({
  name,
  description: renderTemplate(definition.tool.function.description, lookup),
  parameters: withDescriptions(definition.tool.function.parameters, lookup),
});

/** Renders descriptions only: an enum or a pattern that looks like a template is not one. */
function withDescriptions(schema: unknown, lookup: Lookup): JsonSchema {
  const rendered = described(schema, lookup, 0);
  return isRecord(rendered)
    ? { type: "object", ...(rendered.properties ? {} : { properties: {} }), ...rendered }
    : EMPTY;
}

const EMPTY: JsonSchema = { type: "object", properties: {} };
const MAX_DEPTH = 32;
/** The keywords that hold subschemas: by name, in a list, or a single one. */
const BY_NAME = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const IN_LIST = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const ONE = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains"]);

function described(schema: unknown, lookup: Lookup, depth: number): unknown {
  if (!isRecord(schema) || depth === MAX_DEPTH) return schema;
  const inner = (part: unknown) => described(part, lookup, depth + 1);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (key === "description" && typeof value === "string") return [key, renderTemplate(value, lookup)];
      if (BY_NAME.has(key) && isRecord(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]))];
      if ((IN_LIST.has(key) || ONE.has(key)) && Array.isArray(value)) return [key, value.map(inner)];
      return [key, ONE.has(key) ? inner(value) : value];
    }),
  );
}
