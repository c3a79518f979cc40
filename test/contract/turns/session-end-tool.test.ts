import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endSession } from "../../../src/turns/end-session.ts";
import { runEndTool } from "../../../src/turns/end-tool.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { type Plan, plannedEngine } from "../../harness/planned-model.ts";

let app: TestApp;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
});
beforeEach(() => {
  peer.requests.length = 0;
  peer.respond((_, response) => json(response, 200, { stored: true }));
});

let counter = 0;
const TOLD = { properties: { outcome: { type: "string" } }, type: "object", required: ["outcome"] };

/** An endpoint that a prompt ends its sessions with; static parameters are the tool owner's. */
const report = (parameters: object = TOLD, more: object = {}) => {
  const name = `report_${++counter}`;
  const endpoint = { method: "post", argument_location: "body" };
  return endpointTool(name, `${peer.url}/${name}`, { parameters, endpoint, ...more });
};

async function session(tool: object, plans: Plan[], enabled = true) {
  const made = await createAgent(app, {
    script: "",
    systemTools: [],
    agent: { variables: { colour: "blue" } },
  });
  const service = await app.send("POST", "/api/v1/services/", { name: `End ${counter}`, description: "" });
  const { name } = (tool as ReturnType<typeof report>).tool.function;
  const saved = await app.send("POST", "/api/v1/tools/", {
    name,
    definition: tool,
    service_id: service.body.id,
  });
  const prompt = (await app.send("GET", `/api/v1/prompts/${made.prompt_id}`)).body;
  const ending = { session_end_enabled: enabled, session_end_tool_id: saved.body.id };
  expect((await app.send("PUT", "/api/v1/prompts/", { ...prompt, ...ending })).status).toBe(200);
  const { engine, requests } = plannedEngine(app.engine, plans);
  const { session_id } = await startSession(engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id: made.agent_id,
    channel: "chat",
    service: "console",
    type: "console_test_v1",
    sid: `end-${counter}`,
    channel_target_id: null,
    source: "ann@example.com",
    target: null,
    is_test: true,
    is_outbound: false,
    verified: true,
  });
  return { engine, requests, session_id, name, tool_id: saved.body.id as number };
}

const waiting = async (session_id: number) => {
  const { rows } = await app.database.pool.query(
    `select count(*)::int as n
     from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
     where task.identifier = 'call-session-end-tool' and payload ->> 'session_id' = $1`,
    [String(session_id)],
  );
  return rows[0].n as number;
};
const actionsOf = async (session_id: number) =>
  (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body.actions;

describe("the session end tool", () => {
  test("is called once after the end, with arguments that the model takes from what was said", async () => {
    const tool = report(TOLD, {
      definition: {
        static_parameters: [{ name: "source", type: "string", required: true, default: "{{ colour }}" }],
      },
    });
    const { engine, requests, session_id, name } = await session(tool, [
      { text: "Goodbye.", calls: [["hangup", {}]] },
      { calls: [[tool.tool.function.name, { outcome: "booked" }]] },
    ]);
    await runTurn(engine, session_id, { text: "that is all" });
    expect(await waiting(session_id)).toBe(1);
    expect(peer.requests).toEqual([]);

    await runEndTool(engine, session_id);
    await runEndTool(engine, session_id);
    expect(peer.requests.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      [`/${name}`, { outcome: "booked", source: "blue" }],
    ]);
    const asked = requests[1];
    expect(asked?.tool_choice).toEqual({ tool: name });
    expect(asked?.messages.at(-1)).toEqual({ role: "user", text: "(The conversation has ended.)" });
    expect(JSON.stringify(asked?.messages)).toContain("that is all");

    // It stands in the session like any other call, at the session's end, and is not spoken.
    const actions = await actionsOf(session_id);
    expect(actions.at(-1)).toMatchObject({
      tool_name: name,
      tool_error: null,
      tool_result: '{"stored":true}',
    });
    const timeline = (await app.send("GET", `/api/v1/sessions/timeline/${session_id}`)).body.events;
    expect(timeline.filter((event: { kind: string; label: string }) => event.label === name)).toHaveLength(1);
    const trace = (await app.send("GET", `/api/v1/sessions/${session_id}/trace`)).body.entries;
    expect(trace.at(-1)).toMatchObject({
      category: "tool",
      label: name,
      details: { arguments: { outcome: "booked" }, prepared: { outcome: "booked", source: "blue" } },
    });
    const said = (await app.send("GET", `/api/v1/sessions/transcript/${session_id}`)).body.transcription;
    expect(said.at(-1).text).toBe("Goodbye.");
  });

  test("is called whatever ended the session, and without the model where that has nothing to say", async () => {
    const { engine, requests, session_id } = await session(report({ type: "object", properties: {} }), []);
    await endSession(engine, session_id, "idle");
    expect(await waiting(session_id)).toBe(1);
    await runEndTool(engine, session_id);
    expect(peer.requests).toHaveLength(1);
    expect(requests).toEqual([]);
  });

  test("is not called while the session runs, nor where it is switched off", async () => {
    const running = await session(report(), []);
    await runEndTool(running.engine, running.session_id);
    const off = await session(report(), [], false);
    await endSession(off.engine, off.session_id, "user");
    expect(await waiting(off.session_id)).toBe(0);
    await runEndTool(off.engine, off.session_id);
    expect(peer.requests).toEqual([]);
  });

  test("that fails is an event, and the session has ended as it did", async () => {
    peer.respond((_, response) => json(response, 500, { detail: "broken" }));
    const { engine, session_id, name } = await session(report({ type: "object", properties: {} }), []);
    await endSession(engine, session_id, "user");
    await runEndTool(engine, session_id);
    await runEndTool(engine, session_id);
    expect(peer.requests).toHaveLength(1);
    expect((await actionsOf(session_id)).at(-1)).toMatchObject({ tool_error: '"The service answered 500."' });
    const query = `search_fields=session_id&search_field_values=${session_id}`;
    const events = (await app.send("GET", `/api/v1/events/?${query}`)).body.items;
    expect(events.map(({ type }: { type: string }) => type)).toContain("tool-error");
    expect(events[0].description).toBe(`${name}: The service answered 500.`);
  });

  test("whose arguments the model does not give is not called", async () => {
    const { engine, session_id } = await session(report(), [{ text: "I would rather not." }]);
    await endSession(engine, session_id, "user");
    await runEndTool(engine, session_id);
    expect(peer.requests).toEqual([]);
    expect((await actionsOf(session_id)).at(-1)).toMatchObject({
      tool_error: '"The model gave no arguments."',
    });
  });

  test("a log tool writes its event", async () => {
    const tool = { ...report(), type: "log", endpoint: undefined };
    const { engine, session_id, name } = await session(tool, [
      () => {
        throw new Error("asked before the end");
      },
    ]);
    const answering = plannedEngine(engine, [{ calls: [[name, { outcome: "booked" }]] }]);
    await endSession(engine, session_id, "user");
    await runEndTool(answering.engine, session_id);
    const query = `search_fields=session_id&search_field_values=${session_id}`;
    const events = (await app.send("GET", `/api/v1/events/?${query}`)).body.items;
    expect(events.find(({ category }: { category: string }) => category === "log")).toMatchObject({
      attributes: { outcome: "booked" },
    });
  });
});

describe("a process that dies over the session end tool", () => {
  const ended = async (plans: Plan[] = []) => {
    const made = await session(report({ type: "object", properties: {} }), plans);
    await endSession(made.engine, made.session_id, "user");
    return made;
  };

  test("before the call: another one makes it", async () => {
    const tool = report();
    const crash = (): never => {
      throw new Error("killed");
    };
    const { engine, session_id } = await session(tool, [
      crash,
      { calls: [[tool.tool.function.name, { outcome: "booked" }]] },
    ]);
    await endSession(engine, session_id, "user");
    await expect(runEndTool(engine, session_id)).rejects.toThrow("killed");
    await runEndTool(engine, session_id);
    expect(peer.requests).toHaveLength(1);
  });

  test("during the call: it is not made again, and the session says that nobody knows", async () => {
    const { engine, session_id } = await ended();
    const started_at = app.clock.now().toISOString();
    const call = { session_id, tool_call_id: "call_lost", started_at };
    await app.db.insertInto("session_end_calls").values(call).execute();

    // Until then it may still be under way somewhere else.
    await expect(runEndTool(engine, session_id)).rejects.toThrow("is being called");
    app.clock.advance(61_000);
    await runEndTool(engine, session_id);
    await runEndTool(engine, session_id);
    expect(peer.requests).toEqual([]);
    const actions = await actionsOf(session_id);
    expect(actions).toHaveLength(1);
    expect(actions[0].tool_error).toMatch(/stopped during the call/);
  });

  test("two that take it at once make one call", async () => {
    const { engine, session_id } = await ended();
    await Promise.allSettled([runEndTool(engine, session_id), runEndTool(engine, session_id)]);
    expect(peer.requests).toHaveLength(1);
    expect(await actionsOf(session_id)).toHaveLength(1);
  });
});
