import type { ModelRequest } from "../../src/llm/model.ts";
import type { Engine } from "../../src/sessions/engine.ts";
import { startSession } from "../../src/turns/start-session.ts";
import { runTurn } from "../../src/turns/turn.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import { createAgent } from "./agent.ts";
import type { TestApp } from "./app.ts";
import { type Plan, plannedEngine } from "./planned-model.ts";

let counter = 0;
/** A name that no other test of this file has. */
export const freshName = (name: string) => `${name}_${++counter}`;

/** A record that holds tasks, each shown to the model under a fresh name unless it has one. */
export function workflow(...tasks: object[]) {
  const name = freshName("flow");
  const named = tasks.map((task) => ({
    tool: { name: freshName("submit"), description: "Moves on" },
    ...task,
  }));
  const parameters = { type: "object", properties: {} };
  return {
    record: {
      type: "context",
      tool: { type: "function", function: { name, description: name, parameters } },
      context: { task: named },
    } as never,
    submit: named[0]?.tool.name as string,
    submits: named.map((task) => task.tool.name),
  };
}

type PlannedSession = {
  session_id: number;
  agent_id: number;
  requests: ModelRequest[];
  engine: Engine;
  /** What the channel was shown so far, in its order. */
  events: TurnEvent[];
  say(text: string | null): ReturnType<typeof runTurn>;
};

/** A chat session of an agent with these tools, whose model follows plans, or is `engine`'s own. */
export async function plannedSession(
  app: TestApp,
  tools: object[],
  more: {
    plans?: Plan[];
    engine?: Engine;
    agent?: object;
    systemTools?: string[];
    context?: string;
    channel?: "chat" | "email";
  } = {},
): Promise<PlannedSession> {
  const { agent_id } = await createAgent(app, { script: "", tools: tools as never, ...more });
  const planned = plannedEngine(app.engine, more.plans ?? []);
  const engine = more.engine ?? planned.engine;
  const { session_id } = await startSession(engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: more.channel ?? "chat",
    service: "console",
    type: "console_test_v1",
    sid: freshName("sid"),
    channel_target_id: null,
    source: null,
    target: null,
    is_test: true,
    is_outbound: false,
    verified: true,
  });
  const events: TurnEvent[] = [];
  const say = (text: string | null) => runTurn(engine, session_id, { text }, (event) => events.push(event));
  return { session_id, agent_id, requests: planned.requests, engine, events, say };
}
