import { z } from "zod";
import { anyJson, boundedList, integer } from "../api/schema.ts";
import { isSystemVariable } from "../tools/system-variable.ts";
import { StepsTask } from "../tools/task-definition.ts";
import { writePath } from "../workflows/variable-path.ts";
import type { ForkRow } from "./run-fork.ts";

/** Forks and their stops, as the API has them. */

const changes = z
  .record(z.string().min(1).max(255), anyJson())
  .superRefine((variables, context) => {
    for (const name of Object.keys(variables)) {
      const path = writePath(name, () => false);
      if (!path.ok) context.addIssue({ code: "custom", path: [name], message: path.why });
    }
  })
  .default({});

const conversationVariables = z
  .record(z.string().min(1).max(255), anyJson())
  .superRefine((variables, context) => {
    for (const name of Object.keys(variables))
      if (isSystemVariable(name) || name === "__proto__")
        context.addIssue({ code: "custom", path: [name], message: "This variable is set by the program" });
  })
  .default({});

const places = () => boundedList(z.string().min(1).max(255)).default([]);

const TurnBreakpointsInput = z
  .strictObject({
    steps: places().describe("Stop before these steps are entered."),
    guards: places().describe("Stop at each condition under which these steps are left."),
    tools: places().describe("Stop before these tools are called."),
  })
  .meta({ id: "TurnBreakpoints" });

const ForkedToolResult = z
  .strictObject({
    tool: z.string().min(1).max(64),
    match: z
      .record(z.string(), anyJson())
      .nullish()
      .describe("The call's arguments contain these. Omitted: any call."),
    result: anyJson().optional(),
    error: z.string().min(1).max(2_000).nullish().describe("The call fails with this text."),
  })
  .meta({ id: "ForkedToolResult" });

export const SessionForkRequest = z
  .strictObject({
    turn_index: integer({ min: 1 }).describe("The turn to run again; 1 is the first after the opening."),
    text: z.string().max(20_000).nullish().describe("The person's message. Omitted: as recorded."),
    variables: conversationVariables.describe(
      "Variables of the conversation that are changed, by full name.",
    ),
    tool_results: boundedList(ForkedToolResult)
      .default([])
      .describe("Answers of tools; they come before those that were recorded."),
    network: z
      .enum(["closed", "open"])
      .default("closed")
      .describe("closed: services answer as they were recorded, and are not called. open: they are called."),
    breakpoints: TurnBreakpointsInput.default({ steps: [], guards: [], tools: [] }),
  })
  .meta({ id: "SessionForkRequest" });

export const ForkContinuation = z
  .strictObject({
    variables: changes.describe(
      "Values that are changed at the stop: variables by full name, and at a step or guard `local.…` and `inputs.…`.",
    ),
    answer: z
      .strictObject({ result: anyJson().optional(), error: z.string().min(1).max(2_000).nullish() })
      .nullish()
      .describe("At a tool: answered in its place."),
    breakpoints: TurnBreakpointsInput.nullish().describe("Omitted: as before."),
  })
  .meta({ id: "ForkContinuation" });

const Members = z.record(z.string(), z.unknown());

const ForkStop = z
  .object({
    kind: z.enum(["step", "guard", "tool"]),
    workflow: z.string().nullable(),
    step: z.string().nullable().describe("The step that is entered; at a guard the one that is left."),
    to: z.string().nullable().describe("At a guard: the step to which it leads."),
    condition: z.string().nullable().describe("The guard's expression."),
    holds: z.boolean().nullable(),
    value: z.unknown().describe("The value of the guard's expression."),
    operands: z
      .array(z.object({ name: z.string(), value: z.unknown() }))
      .describe("What the expression reads, with its value."),
    tool: z.string().nullable(),
    arguments: Members.nullable(),
    variables: Members,
    local: Members,
    inputs: Members,
  })
  .meta({ id: "ForkStop" });

export const SessionFork = z
  .object({
    session_id: z.int(),
    origin_session_id: z.int().nullable().describe("Null once that session was deleted."),
    turn_index: z.int(),
    agent_id: z.int(),
    test_id: z.string().describe("With it the conversation goes on as a test conversation."),
    text: z.string(),
    status: z.enum(["stopped", "running", "finished", "abandoned"]),
    breakpoints: TurnBreakpointsInput,
    stop: ForkStop.nullable(),
  })
  .meta({ id: "SessionFork" });

export function shownFork(fork: ForkRow): z.infer<typeof SessionFork> {
  const { session_id, origin_id, turn_index, agent_id, test_id, text, breakpoints, stop } = fork;
  return {
    session_id,
    origin_session_id: origin_id,
    turn_index,
    agent_id,
    test_id,
    text,
    breakpoints,
    status: statusOf(fork),
    stop: stop && !fork.is_over ? shownStop(stop) : null,
  };
}

function statusOf({ is_over, is_running, ended_at }: ForkRow): z.infer<typeof SessionFork>["status"] {
  if (is_over) return "finished";
  if (ended_at !== null) return "abandoned";
  return is_running ? "running" : "stopped";
}

function shownStop({ at, memory }: NonNullable<ForkRow["stop"]>): z.infer<typeof ForkStop> {
  const isGuard = at.kind === "guard";
  const isTool = at.kind === "tool";
  return {
    kind: at.kind,
    workflow: isTool ? null : at.workflow,
    step: isTool ? null : at.step,
    to: isGuard ? at.to : null,
    condition: isGuard ? sourceOf(at.condition) : null,
    holds: isGuard ? at.holds : null,
    value: isGuard ? at.value : null,
    operands: isGuard ? at.operands : [],
    tool: isTool ? at.tool : null,
    arguments: isTool ? at.arguments : null,
    ...memory,
  };
}

const sourceOf = (condition: unknown): string =>
  typeof condition === "string"
    ? condition
    : String((condition as { expression?: unknown }).expression ?? "");

export const DebugTurn = z
  .object({
    turn_index: z.int(),
    agent_name: z.string(),
    text: z.string().describe("The person's words."),
    clock: z.string().describe("The agent's wall clock."),
    variables: Members.describe("Of the conversation, before the turn."),
    workflows: z.array(
      z.object({ workflow: z.string(), status: z.string(), step: z.string().nullable(), local: Members }),
    ),
    steps: z.array(
      z.object({
        workflow: z.string(),
        step: z.string(),
        has_guards: z.boolean().describe("Whether it is left under conditions."),
      }),
    ),
    tools: z.array(z.string()),
    tasks: z
      .array(
        z.object({
          workflow: z.string(),
          tool: z.string().describe("The tool that holds the task."),
          index: z.int().describe("Its place among the tasks of that tool."),
          submit_tool: z.string().describe("The tool by which the model moves it on."),
          task: StepsTask,
        }),
      )
      .describe("The workflows of steps as the session had them."),
  })
  .meta({ id: "DebugTurn" });
