import { beforeAll, describe, expect, test } from "vitest";
import { confirmVisit } from "../../../src/demo/reminder.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let peer: Peer;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
  peer.respond(({ headers }, response) => json(response, 200, { key: headers["x-key"] ?? null, free: 2 }));
  const service = {
    name: "Calendar",
    description: "",
    auth_type: "custom_headers",
    auth_values: { "x-key": "sealed" },
  };
  service_id = (await app.send("POST", "/api/v1/services/", service)).body.id;
});

const call = (definition: object, more: object = {}) =>
  app.send("POST", "/api/v1/tools/try", { definition, service_id, arguments: {}, ...more });

describe("POST /tools/check", () => {
  test("finds what saving would refuse and what it would only remark, and saves nothing", async () => {
    const good = endpointTool("find_slots", `${peer.url}/slots`);
    const check = (definition: object) =>
      app.send("POST", "/api/v1/tools/check", { name: "find_slots", definition, service_id });
    expect(await check(good)).toMatchObject({ status: 200, body: { validation_issues: [] } });
    const steps = structuredClone(confirmVisit) as { context: { task: { steps: { next?: unknown[] }[] } } };
    steps.context.task.steps[0]!.next = ["NOWHERE"];
    const found = await app.send("POST", "/api/v1/tools/check", {
      name: "visit",
      definition: steps,
      service_id,
    });
    expect(found.body.validation_issues).toContainEqual(
      expect.objectContaining({ severity: "error", path: "$.context.task.steps[0].next[0]" }),
    );
    expect((await app.send("GET", "/api/v1/tools/find_slots")).status).toBe(404);
  });
});

describe("POST /tools/try", () => {
  test("shows the request on the wire, without the values of credentials", async () => {
    const get = endpointTool("find_slots", `${peer.url}/slots?zone=a`, {
      parameters: { type: "object", properties: { day: { type: "string" } } },
      definition: {
        endpoint: { url: `${peer.url}/slots?zone=a`, method: "get", argument_location: "query" },
      },
    });
    const { request } = (await call(get, { arguments: { day: "next monday" } })).body;
    expect(request).toMatchObject({
      method: "GET",
      url: `${peer.url}/slots?zone=a&day=next+monday`,
      body: null,
      headers: { accept: expect.any(String), "user-agent": "Parley" },
    });
    const seen = peer.requests.at(-1)!;
    for (const [name, value] of Object.entries(request.headers)) {
      if (value === "(hidden)") expect(seen.headers[name]).not.toBe(value);
      else expect(seen.headers[name], name).toBe(value);
    }
    expect(Object.values(request.headers)).toContain("(hidden)");
    expect(JSON.stringify(request)).not.toContain("sealed");

    const post = endpointTool("find_slots", `${peer.url}/slots`, {
      parameters: { type: "object", properties: { day: { type: "string" } } },
      definition: { endpoint: { url: `${peer.url}/slots`, method: "post", argument_location: "body" } },
    });
    const posted = (await call(post, { arguments: { day: "monday" } })).body.request;
    expect(posted.body).toBe(JSON.stringify({ day: "monday" }));
  });

  test("shows the arguments as given, as prepared and as sent, and what came back", async () => {
    const tool = endpointTool("find_slots", `${peer.url}/slots`, {
      parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
      definition: {
        static_parameters: [{ name: "clinic", required: true, type: "string", default: "{{ vars.clinic }}" }],
      },
    });
    const tried = await call(tool, { arguments: { day: "monday" }, variables: { clinic: "north" } });
    expect(tried).toMatchObject({
      status: 200,
      body: {
        given: { day: "monday" },
        prepared: { day: "monday", clinic: "north" },
        result: { key: "sealed", free: 2 },
        error: null,
        trace: [expect.objectContaining({ category: "http" })],
      },
    });
  });

  test("arguments that don't fit are told as a model would be told, and nothing is sent", async () => {
    const before = peer.requests.length;
    const tool = endpointTool("find_slots", `${peer.url}/slots`, {
      parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
    });
    const tried = await call(tool);
    expect(tried.body).toMatchObject({
      error: "Invalid arguments: missing required parameter day.",
      request: null,
    });
    expect(peer.requests.length).toBe(before);
  });

  test("a call that could not sign in, or whose address is never called, shows no request as sent", async () => {
    const of = async (service: object) =>
      (await app.send("POST", "/api/v1/services/", { description: "", ...service })).body.id;
    const auth_values = { client_id: "a", client_secret: "b", auth_url: `${peer.url}/no-token` };
    for (const [url, service_id] of [
      [`${peer.url}/slots`, await of({ name: "No token", auth_type: "oauth2", auth_values })],
      ["http://169.254.169.254/slots", await of({ name: "Metadata" })],
    ]) {
      const { body } = await call(endpointTool("find_slots", url), { service_id });
      expect(body).toMatchObject({ error: expect.any(String), request: null });
    }
  });

  test("two definitions of one name are each checked by their own schema", async () => {
    const needing = (field: string) =>
      endpointTool("find_slots", `${peer.url}/slots`, {
        parameters: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
      });
    expect((await call(needing("a"))).body.error).toContain("parameter a");
    expect((await call(needing("b"))).body.error).toContain("parameter b");
  });

  test("arguments too long to be meant are refused, faults without end told in part", async () => {
    const parameters = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } };
    const tool = endpointTool("find_slots", `${peer.url}/slots`, { parameters });
    const sent = peer.requests.length;
    const long = await call(tool, { arguments: { a: ["x".repeat(300_000)] } });
    expect(long.body.error).toMatch(/longer than 262144 characters/);
    const faulty = await call(tool, { arguments: { a: Array(1_000).fill({}) } });
    expect(faulty.body.error).toMatch(/a\.9 must be string; and more\.$/);
    expect(peer.requests.length).toBe(sent);
  });

  test("another organization's service, and the built-in one, are refused as where a tool is saved", async () => {
    const tool = endpointTool("find_slots", `${peer.url}/slots`);
    const neighbour = await app.createNeighbour();
    const foreign = await neighbour.send("POST", "/api/v1/services/", { name: "Theirs", description: "" });
    const { body } = await app.send("GET", "/api/v1/services/?search_fields=name&search_field_values=System");
    for (const service_id of [foreign.body.id, body.items[0].id]) {
      const tried = await call(tool, { service_id });
      const saved = await app.send("POST", "/api/v1/tools/", {
        name: "find_slots",
        definition: tool,
        service_id,
      });
      expect([tried.status, tried.body.detail]).toEqual([400, saved.body.detail]);
    }
    expect((await call(tool, { agent_id: 999_999 })).status).toBe(404);
  });
});

describe("POST /tools/play", () => {
  const play = (events: object[], more: object = {}) =>
    app.send("POST", "/api/v1/tools/play", { definition: confirmVisit, events, ...more });

  test("each event answers with the state after it, what is to be done and why", async () => {
    const { status, body } = await play(
      [
        { type: "activate" },
        { type: "submit", arguments: {} },
        { type: "submit", arguments: { coming: true } },
        { type: "submit", arguments: { needs: "interpreter" } },
      ],
      { variables: { "vars.visit_date": "tomorrow" } },
    );
    expect(status).toBe(200);
    expect(body.played.map(({ step }: { step: string }) => step)).toEqual([
      "ASK_COMING",
      "ASK_COMING",
      "ASK_NEEDS",
      "CONFIRMED",
    ]);
    expect(body.played[0].offered).toMatchObject({
      name: "confirm_visit",
      parameters: { required: ["coming"] },
    });
    expect(body.played[1].effects).toContainEqual(
      expect.objectContaining({ type: "reply", result: expect.objectContaining({ status: "error" }) }),
    );
    expect(body.played[2].variables).toMatchObject({ coming: true });
    expect(body.played[2].trace).toContainEqual(
      expect.objectContaining({ category: "step", label: "condition" }),
    );
  });

  test("a call waits for the answer that its author gives it", async () => {
    const tool = {
      name: "find_slots",
      definition: endpointTool("find_slots", `${peer.url}/slots`),
      service_id,
    };
    await app.send("POST", "/api/v1/tools/", tool);
    const submitted = [
      { type: "activate" },
      { type: "submit", arguments: { coming: false } },
      { type: "submit", arguments: { other_day: "2026-11-24" } },
    ];
    const waiting = await play(submitted);
    expect(waiting.body.played.at(-1)).toMatchObject({ step: "ASK_OTHER_DAY", awaits: "find_slots" });
    const answered = await play([...submitted, { type: "called", result: { slots: [1, 2] } }]);
    expect(answered.body.played.at(-1)).toMatchObject({ step: "MOVED", awaits: null, local: { free: 2 } });
  });

  test("a task that is not there, and more than 200 events, are refused at their place", async () => {
    const missing = await play([], { task: 3 });
    expect(missing).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "task"] }] } });
    const many = await play(Array.from({ length: 201 }, () => ({ type: "activate" })));
    expect(many).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "events"] }] } });
  });
});
