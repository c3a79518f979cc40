import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { createTelemetry, type Telemetry } from "../../../src/telemetry/otlp.ts";
import { endSession } from "../../../src/turns/end-session.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

type Attribute = { key: string; value: Record<string, unknown> };
type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  status: { code: number };
};

let collector: Peer;
let service: Peer;
let app: TestApp;
let agent_id: number;
/** What the app tells now: a test's own. */
let told: Telemetry;

beforeAll(async () => {
  collector = await createPeer();
  service = await createPeer();
  const telemetry: Telemetry = {
    turnStored: (turn) => told.turnStored(turn),
    sessionEnded: (session) => told.sessionEnded(session),
    close: async () => {},
  };
  app = await createTestApp({}, undefined, { telemetry });
  ({ agent_id } = await createAgent(app, {
    script: `on "slots" -> call find_slots {"person": "Zacharias"}\nafter find_slots -> say "I have ten past nine, Zacharias."`,
    tools: [
      endpointTool("find_slots", `${service.url}/slots`, {
        parameters: { type: "object", properties: { person: { type: "string" } } },
      }),
    ],
    service: { allowed_hosts: [new URL(service.url).host] },
  }));
});
beforeEach(() => {
  collector.requests.length = 0;
  collector.respond((_, response) => json(response, 200, {}));
  service.respond((_, response) => json(response, 200, { slots: ["ten past nine"] }));
});
afterAll(async () => told.close());

const open = (content: boolean) =>
  createTelemetry(
    {
      endpoint: collector.url,
      service_name: "clinic",
      content,
      headers: { "x-collector-key": "k-1" },
    },
    { log: silentLog, installation: "one", version: "0" },
  );

/** A conversation of one turn with a tool, and its end. */
async function conversation(): Promise<number> {
  const { content } = await converse(app, agent_id)("slots please");
  await endSession(app.engine, content.session_id, "agent");
  return content.session_id;
}

const spans = (): SentSpan[] =>
  collector.requests.flatMap(({ body }) =>
    JSON.parse(body.toString()).resourceSpans.flatMap((resource: { scopeSpans: { spans: SentSpan[] }[] }) =>
      resource.scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
const attributeOf = ({ attributes }: SentSpan, key: string) => {
  const value = attributes.find((one) => one.key === key)?.value;
  return value && Object.values(value)[0];
};

test("a session is a trace: turns are invoke_agent, rounds of the model chat, calls of tools execute_tool, each below its own", async () => {
  told = await open(false);
  const session_id = await conversation();
  await told.close();
  const sent = spans();
  expect(new Set(sent.map(({ traceId }) => traceId)).size).toBe(1);
  const named = (start: string) => sent.filter(({ name }) => name.startsWith(start));
  const [root] = named("session ");
  const [turn] = named("invoke_agent ");
  expect(root?.parentSpanId).toBeUndefined();
  expect(turn?.parentSpanId).toBe(root?.spanId);
  expect(named("chat scripted")).toHaveLength(2);
  expect(named("execute_tool find_slots")).toHaveLength(1);
  for (const part of [...named("chat "), ...named("execute_tool ")])
    expect(part.parentSpanId).toBe(turn?.spanId);
  expect(attributeOf(turn as SentSpan, "gen_ai.conversation.id")).toBe(String(session_id));
  expect(collector.requests[0]?.headers["x-collector-key"]).toBe("k-1");
  expect(collector.requests[0]?.path).toBe("/v1/traces");
});

test("why a model stopped is a list of texts, as OpenTelemetry's conventions have it", async () => {
  told = await open(false);
  await conversation();
  await told.close();
  const reasons = spans()
    .filter(({ name }) => name === "chat scripted")
    .map((span) => attributeOf(span, "gen_ai.response.finish_reasons"));
  expect(reasons).toEqual([
    { values: [{ stringValue: "tool-calls" }] },
    { values: [{ stringValue: "stop" }] },
  ]);
});

test("nothing of what was said, asked of a tool or answered by it leaves, unless it is switched on", async () => {
  const secret = /Zacharias|ten past nine|slots please/;
  told = await open(false);
  await conversation();
  await told.close();
  expect(spans().length).toBeGreaterThan(3);
  expect(JSON.stringify(spans())).not.toMatch(secret);
  told = await open(true);
  await conversation();
  await told.close();
  expect(JSON.stringify(spans())).toMatch(/Zacharias/);
});

test("a turn's span has all that was said in the turn, also before a call of a tool", async () => {
  const talker = await createAgent(app, {
    script: `on "slots" -> say "One moment." then call look_up {"person": "Zoe"}\nafter look_up -> say "Ten past nine."`,
    tools: [endpointTool("look_up", `${service.url}/slots`)],
    service: { allowed_hosts: [new URL(service.url).host] },
  });
  told = await open(true);
  await converse(app, talker.agent_id)("slots please");
  await told.close();
  const turn = spans().find(({ name }) => name.startsWith("invoke_agent ")) as SentSpan;
  const messages = JSON.parse(String(attributeOf(turn, "gen_ai.output.messages")));
  const said = messages.map(({ parts }: { parts: { content: string }[] }) => parts[0]?.content);
  expect(said).toEqual(["One moment.", "Ten past nine."]);
});

test("a collector that hangs, refuses or is gone holds up no turn", async () => {
  told = await open(false);
  collector.respond(() => {});
  await conversation();
  collector.respond((_, response) => json(response, 500, { message: "no" }));
  await conversation();
  expect(app.errors).toEqual([]);
});

test("every metric that the dashboard for Grafana asks for is one of /metrics", async () => {
  const dashboard = readFileSync(
    path.resolve(import.meta.dirname, "../../../docs/grafana-dashboard.json"),
    "utf8",
  );
  const asked = new Set([...dashboard.matchAll(/\b(parley|process)_[a-z_]+/g)].map(([name]) => name));
  const { payload } = await app.api.server.inject({ url: "/metrics" });
  const known = [...asked].filter((name) => payload.includes(`\n${name}`));
  expect(known.toSorted()).toEqual([...asked].toSorted());
});
