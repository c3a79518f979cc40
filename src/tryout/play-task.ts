import { sql } from "kysely";
import { z } from "zod";
import type { SnapshotTool } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { integer } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { TRACE_CATEGORIES } from "../events/trace.ts";
import { agentTime } from "../sessions/session-facts.ts";
import { localTime, systemVariables } from "../sessions/variables.ts";
import { toolMentionsOf } from "../tools/task-parts.ts";
import { ToolDefinition, tasksOf } from "../tools/tool-definition.ts";
import { authoredTexts } from "../workflows/instruction-lookup.ts";
import { runTask, type WorkflowEvent } from "../workflows/run-steps.ts";
import type { TaskOutcome, TaskSurroundings } from "../workflows/task-run.ts";
import { requiredOf, taskTool } from "../workflows/task-tools.ts";
import { freshTask, type SessionTask, sessionTasks } from "../workflows/workflow-state.ts";

/**
 * Plays a task without a model, a session or a call: event after event, as its author gives them. The interpreter is the
 * one sessions run; since it is pure, the whole play is told again with every request and nothing is kept.
 */
const PlayEvent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("activate") }),
    z.object({ type: z.literal("start") }).describe("The user's first words"),
    z
      .object({ type: z.literal("submit"), arguments: z.record(z.string(), z.unknown()) })
      .describe("The model calls the task's tool"),
    z.object({ type: z.literal("go_to_step"), step_id: z.string() }),
    z
      .object({
        type: z.literal("called"),
        result: z.unknown(),
        error: z.string().nullable().default(null),
      })
      .describe("The tool that the last effect asked for has answered"),
  ])
  .meta({ id: "PlayEvent" });

const MAX_EVENTS = 200;

const TaskPlayRequest = z
  .object({
    definition: ToolDefinition,
    task: integer({ min: 0 }).default(0).describe("Which task of the definition, from 0."),
    variables: z.record(z.string(), z.unknown()).default({}).describe("Of the conversation, by full name."),
    events: z.array(PlayEvent).max(MAX_EVENTS).default([]),
  })
  .meta({ id: "TaskPlayRequest" });

const PlayedEvent = z
  .object({
    status: z.enum(["inactive", "active", "completed"]),
    step: z.string().nullable(),
    inputs: z.record(z.string(), z.unknown()),
    local: z.record(z.string(), z.unknown()),
    variables: z.record(z.string(), z.unknown()),
    effects: z
      .array(z.record(z.string(), z.unknown()))
      .describe("`say`, `hear`, `call` and `reply`, in this order; a call waits for a `called` event."),
    trace: z.array(
      z.object({
        category: z.enum(TRACE_CATEGORIES),
        label: z.string(),
        details: z.record(z.string(), z.unknown()).nullable(),
      }),
    ),
    awaits: z.string().nullable().describe("The tool whose answer is awaited."),
    offered: z
      .object({ name: z.string(), description: z.string(), parameters: z.unknown() })
      .nullable()
      .describe("What the model sees of the task now."),
  })
  .meta({ id: "PlayedEvent" });

const TaskPlayResponse = z.object({ played: z.array(PlayedEvent) }).meta({ id: "TaskPlayResponse" });

export function playTaskRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  api.post(
    "/api/v1/tools/play",
    {
      summary: "Play a task of a context tool, event after event",
      description:
        "Nothing is called and nothing is kept: the answers of tools are given as events. One entry for each event, with the state after it.",
      tag: "tools",
      permission: "tools_read",
      body: TaskPlayRequest,
      response: TaskPlayResponse,
    },
    async ({ caller, body }) => {
      const task = taskAt(body.definition, body.task);
      const required = await requiredByName(db, caller, task);
      const system = systemVariables(
        SOMEBODY,
        "en-US",
        localTime(agentTime(clock.now(), null, "UTC"), "UTC"),
      );
      const callable = (name: string) => {
        const known = required.get(name);
        return known && { required: known };
      };
      const isAuthored = authoredTexts({ tools: [body] });
      return { played: play(task, body, { system, callable, isAuthored }) };
    },
  );
}

function taskAt(definition: ToolDefinition, index: number): SessionTask {
  const tool: SnapshotTool = {
    id: 0,
    name: definition.tool.function.name,
    version_number: 0,
    service_id: 0,
    is_system: false,
    definition,
  };
  const wanted = tasksOf(definition)[index]?.task;
  const task = sessionTasks([tool]).find((candidate) => candidate.task === wanted);
  if (!task) throw invalid(["body", "task"], `The definition has no task ${index} that can be played`);
  return task;
}

type Given = z.infer<typeof TaskPlayRequest>;

function play(task: SessionTask, given: Given, around: Omit<TaskSurroundings, "variables">) {
  let state = freshTask();
  let { variables } = given;
  return given.events.map((event) => {
    const outcome = runTask(task, state, event as WorkflowEvent, { ...around, variables });
    ({ state, variables } = outcome);
    return shown(task, outcome, around);
  });
}

function shown(
  task: SessionTask,
  { state, variables, effects, trace }: TaskOutcome,
  around: Omit<TaskSurroundings, "variables">,
): z.infer<typeof PlayedEvent> {
  const { status, step, inputs, local } = state;
  const call = effects.find((effect) => effect.type === "call");
  return {
    status,
    step,
    inputs,
    local,
    variables,
    effects,
    trace: trace.map(({ category, label, details = null }) => ({ category, label, details })),
    awaits: state.awaiting ? (call?.tool ?? null) : null,
    offered: taskTool({ task, state }, { ...around, variables }),
  };
}

const SOMEBODY = {
  session_id: 0,
  conversation_id: 0,
  agent_name: "",
  timezone: "UTC",
  channel: "chat",
  source: null,
  target: null,
  is_outbound: false,
  verified: true,
  claimed_user: null,
  user_name: null,
};

/** What each tool that the task may call can't be called without; whoever isn't there is left out. */
async function requiredByName(
  db: Db,
  { sub_organization_id }: Caller,
  { task }: SessionTask,
): Promise<Map<string, string[]>> {
  const names = [...new Set(toolMentionsOf(task, []).map(({ name }) => name))];
  const { rows } = await sql<{ name: string; definition: ToolDefinition }>`
    select name, definition from tools
    where sub_organization_id = ${sub_organization_id} and deleted_at is null
      and name = any (${names}::text[])`.execute(db);
  return new Map(rows.map(({ name, definition }) => [name, requiredOf({ definition })]));
}
