import { beforeAll, describe, expect, test } from "vitest";
import type { LanguageModel, ModelRequest } from "../../../src/llm/model.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { runTurn } from "../../../src/turns/turn.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  peer = await createPeer();
});

const SCRIPT = `
  on "go" -> call the_tool {}
  after the_tool if error -> say "It failed."
  after the_tool -> say "It worked."`;

/** An agent with one tool, named anew each time; says go, and gives back what became of the call. */
async function callOnce(options: {
  url?: string;
  endpoint?: object;
  definition?: object;
  arguments?: object;
  parameters?: object;
}) {
  const name = `tool_${Math.random().toString(36).slice(2, 8)}`;
  const { agent_id } = await createAgent(app, {
    script: SCRIPT.replaceAll("the_tool", name).replace("{}", JSON.stringify(options.arguments ?? {})),
    tools: [endpointTool(name, options.url ?? `${peer.url}/it`, options)],
  });
  const say = converse(app, agent_id);
  await say("");
  const answer = await say("go");
  return { ...answer, call: answer.content.tool_calls[0], say };
}

describe("a tool whose endpoint misbehaves: the model reads why, the session goes on", () => {
  const cases: [string, (request: unknown, response: import("node:http").ServerResponse) => void, RegExp][] =
    [
      ["answers 500", (_, response) => json(response, 500, { reason: "broken" }), /answered 500/],
      ["answers 404 without a body", (_, response) => void response.writeHead(404).end(), /answered 404/],
      [
        "says JSON and sends none",
        (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{oops"),
        /not the valid JSON/,
      ],
      [
        "sends lists within lists that no database takes",
        (_, response) =>
          void response
            .writeHead(200, { "content-type": "application/json" })
            .end("[".repeat(32_000) + "]".repeat(32_000)),
        /more than 500 levels deep/,
      ],
      [
        "sends members that all have names of their own",
        (_, response) =>
          json(response, 200, Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, 1]))),
        /more than 10,000 different names/,
      ],
      [
        "sends empty lists without end",
        (_, response) => json(response, 200, Array(200_001).fill([])),
        /more than 200,000 values/,
      ],
      ["sends 10 MB", (_, response) => void response.end("x".repeat(10_000_000)), /larger than 1 MiB/],
      [
        "redirects to a private address",
        (_, response) => void response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
        /redirect \(302\), which is not followed/,
      ],
      ["hangs up", (_, response) => void response.destroy(), /could not be reached/],
      ["hangs", () => {}, /did not answer within 1 s/],
    ];
  test.each(cases)("%s", async (title, respond, expected) => {
    peer.respond(respond);
    // On a busy machine an answer that is read whole takes longer than the second that a silent one is given.
    const { text, call, say } = await callOnce({ endpoint: { timeout: title === "hangs" ? 1 : 10 } });
    expect(call.tool_error).toMatch(expected);
    expect(call.tool_result.error).toBeDefined();
    expect(text).toBe("It failed.");
    peer.respond((_, response) => json(response, 200, { ok: true }));
    expect((await say("go")).text).toBe("It worked.");
  });

  test.each([
    ["http://169.254.169.254/latest/meta-data"],
    ["http://10.0.0.1/"],
    ["http://[::1]/"],
    ["http://0x7f000001:1/"],
    ["http://unknown.parley.internal/"],
    ["ftp://example.com/"],
  ])("%s is refused before anything is sent", async (url) => {
    const before = peer.requests.length;
    const { call, text } = await callOnce({ url });
    expect(call.tool_error).toMatch(/refused|address|can't|not/);
    expect(text).toBe("It failed.");
    expect(peer.requests.length).toBe(before);
  });
});

describe("where arguments go", () => {
  const values = { a: "x y", list: [1, 2], gone: null };
  const parameters = { type: "object", properties: {} };
  test.each([
    ["query", "get", "/it?a=x+y&list=1&list=2", ""],
    ["body", "post", "/it", JSON.stringify(values)],
    ["form", "post", "/it", "a=x+y&list=1&list=2"],
    ["path", "put", "/it/x%20y", '{"list":[1,2],"gone":null}'],
    ["path", "delete", "/it/x%20y?list=1&list=2", ""],
  ])("%s by %s", async (argument_location, method, path, body) => {
    peer.respond((_, response) => json(response, 200, {}));
    const url = argument_location === "path" ? `${peer.url}/it/{a}` : `${peer.url}/it`;
    await callOnce({ url, parameters, endpoint: { argument_location, method }, arguments: values });
    expect(peer.requests.at(-1)).toMatchObject({ method: method.toUpperCase(), path, body });
  });
});

test.each([
  ["{a}", ".."],
  ["{a}", "."],
  [".{a}", "."],
  ["%2e{a}", "."],
])("a path of %s with %s in it leads no higher in an address", async (part, a) => {
  const before = peer.requests.length;
  const { call } = await callOnce({
    url: `${peer.url}/visits/${part}/notes`,
    endpoint: { argument_location: "path", method: "delete" },
    arguments: { a },
  });
  expect(call.tool_error).toMatch(/would lead elsewhere/);
  expect(peer.requests.length).toBe(before);
});

test("arguments that don't fit the schema are told to the model and nothing is sent", async () => {
  const before = peer.requests.length;
  const { call } = await callOnce({
    parameters: {
      type: "object",
      properties: { day: { type: "string", pattern: "^\\d+$" } },
      required: ["day", "hour"],
    },
    arguments: { day: "monday" },
  });
  expect(call.tool_error).toContain("missing required parameter hour");
  expect(call.tool_error).toContain("day must match pattern");
  expect(peer.requests.length).toBe(before);
});

test("a header with a caller's name is sent in whatever letters the name has, and is shown as it reads", async () => {
  peer.respond((_, response) => json(response, 200, {}));
  const { agent_id } = await createAgent(app, {
    script: 'on "go" -> call greet {}\nafter greet -> say "Done."',
    tools: [endpointTool("greet", `${peer.url}/it`)],
    agent: { variables: { who: "मीरा\u0007 Łukasz" }, tool_headers: { "X-Caller": "{{ who }}" } },
  });
  const say = converse(app, agent_id);
  await say("");
  const { content } = await say("go");
  expect(content.tool_calls).toMatchObject([{ tool_error: null }]);
  const sent = peer.requests.at(-1)?.headers["x-caller"] as string;
  expect(Buffer.from(sent, "latin1").toString()).toBe("मीरा  Łukasz");
  const shown = await app.send("GET", `/api/v1/sessions/${content.session_id}/tool_requests?turn_index=1`);
  expect(JSON.stringify(shown.body)).toContain('"x-caller":"मीरा  Łukasz"');
});

test("a model that calls tools without end is stopped after ten rounds and the turn ends", async () => {
  peer.respond((_, response) => json(response, 200, {}));
  const { agent_id } = await createAgent(app, {
    script: 'on "go" -> call endless {}\nafter endless -> call endless {}',
    tools: [endpointTool("endless", `${peer.url}/it`)],
  });
  const say = converse(app, agent_id);
  await say("");
  const before = peer.requests.length;
  const { status, content } = await say("go");
  expect(status).toBe(200);
  expect(content.tool_calls).toHaveLength(10);
  expect(peer.requests.length - before).toBe(10);
});

test("a model that calls a hundred tools at once, all under one id, has some of them run, each under its own", async () => {
  peer.respond((_, response) => json(response, 200, {}));
  const { agent_id } = await createAgent(app, {
    script: "",
    tools: [endpointTool("crowd", `${peer.url}/it`)],
  });
  const requests: ModelRequest[] = [];
  const crowding: LanguageModel = {
    provider: "openai",
    model: "crowding",
    scripted: false,
    async *stream(request) {
      const calls = requests.push(request) === 1 ? 100 : 0;
      for (let n = 0; n < calls; n++)
        yield { type: "call", call: { id: "call_0", name: "crowd", arguments: {} } };
      const usage = { input_tokens: null, output_tokens: null, cached_input_tokens: null };
      yield { type: "done", finish: "stop", usage, warnings: [] };
    },
  };
  const engine = { ...app.engine, resolveModel: async () => crowding };
  const { session_id } = await startSession(engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "chat",
    service: "console",
    type: "console_test_v1",
    sid: "crowd",
    channel_target_id: null,
    source: null,
    target: null,
    is_test: true,
    is_outbound: false,
    verified: true,
  });
  const before = peer.requests.length;
  const { calls } = await runTurn(engine, session_id, { text: "go" });
  expect([calls.length, peer.requests.length - before]).toEqual([32, 32]);
  const ids = requests[1]?.messages.flatMap((message) => (message.role === "tool" ? [message.call_id] : []));
  expect(new Set(ids).size).toBe(32);
  const { body } = await app.send("GET", `/api/v1/sessions/${session_id}/trace`);
  const notes = body.entries.filter(({ category }: { category: string }) => category === "note");
  expect(notes.slice(0, 1)).toMatchObject([
    { label: "the model made 100 calls at once; only the first 32 were run" },
  ]);
});

test("a model that fails twice apologizes, the session goes on, an event says why, and the log that it did", async () => {
  const { agent_id } = await createAgent(app, {
    script: 'on "crash" -> fail 503 "The model is gone."\notherwise -> say "Here I am."',
  });
  const say = converse(app, agent_id);
  await say("");
  const answer = await say("crash");
  expect(answer.text).toMatch(/^I'm sorry/);
  const { body } = await app.send(
    "GET",
    `/api/v1/events/?search_fields=session_id&search_field_values=${answer.content.session_id}`,
  );
  expect(body.items[0]).toMatchObject({
    type: "llm-error",
    description: expect.stringContaining("The model is gone."),
  });
  const logged = app.logged.filter((line) => line.includes("a model gave no answer"));
  expect(logged.join()).toContain(`"session_id":${answer.content.session_id}`);
  expect(logged.join()).not.toContain("The model is gone.");
  expect((await say("hello")).text).toBe("Here I am.");
});

test("hangup says what is left to say and ends the session", async () => {
  const { agent_id } = await createAgent(app, {
    script: 'on "bye" -> say "Goodbye!" then call hangup {"reason": "done"}',
    systemTools: ["hangup"],
  });
  const say = converse(app, agent_id);
  await say("");
  const { text, content } = await say("bye");
  expect(text).toBe("Goodbye!");
  expect(content).toMatchObject({ action: { action: "hangup", reason: "done" }, ended: true });
  const session = (await app.send("GET", `/api/v1/session_debug/session_id/${content.session_id}`)).body;
  expect(session.messages.at(-1).tool_calls).toMatchObject([{ tool_name: "hangup" }]);
  const of = `search_fields=session_id&search_field_values=${content.session_id}`;
  const events = (await app.send("GET", `/api/v1/events/?${of}`)).body.items;
  expect(events).toContainEqual(
    expect.objectContaining({ type: "session-end", attributes: { reason: "agent" } }),
  );
});

test("the result of a context tool names what this call has set, not what the call before did", async () => {
  const pet = { pet: { type: "string" } };
  const { agent_id } = await createAgent(app, {
    script: `
      on /my (?<animal>cat|dog)/ -> call remember_pet {"pet": "{animal}"}
      after remember_pet -> say "{result.noted}"`,
    tools: [
      {
        type: "context",
        tool: {
          type: "function",
          function: {
            name: "remember_pet",
            description: "Remembers the pet",
            parameters: { type: "object", properties: pet },
          },
        },
        result: { noted: "A {{ pet }} for {{ vars.owner }}" },
      },
    ] as never,
    agent: { variables: { "vars.owner": "Ann" } },
  });
  const say = converse(app, agent_id);
  await say("");
  expect((await say("my cat")).text).toBe("A cat for Ann");
  expect((await say("my dog")).text).toBe("A dog for Ann");
});

test("a log tool writes an event, a context tool sets variables that the next turn sees", async () => {
  const plain = (name: string, type: string, properties = {}) => ({
    type,
    tool: {
      type: "function",
      function: { name, description: name, parameters: { type: "object", properties } },
    },
  });
  const named = { mood: { type: "string" }, say: { type: "string" } };
  const { agent_id } = await createAgent(app, {
    context: "Mood: {{ mood }}.",
    script: `
      on "note" -> call note_it {"type": "complaint", "description": "It rains", "weather": "rain"}
      on "cheer" -> call remember {"mood": "happy", "say": "Noted."}
      after note_it -> say "Logged."
      after remember -> say "All right."`,
    tools: [
      plain("note_it", "log", { type: { type: "string" } }),
      plain("remember", "context", named),
    ] as never,
  });
  const say = converse(app, agent_id);
  await say("");
  const logged = await say("note");
  const { body } = await app.send(
    "GET",
    `/api/v1/events/?search_fields=session_id&search_field_values=${logged.content.session_id}&search_fields=type&search_field_values=complaint`,
  );
  expect(body.items).toMatchObject([
    { category: "log", description: "It rains", attributes: { weather: "rain" } },
  ]);
  const cheered = await say("cheer");
  expect(cheered.content.variables).toMatchObject({ mood: "happy" });
  expect(cheered.text).toContain("Noted.");
});

test("a log tool takes no kind of event from an argument that its author did not name", async () => {
  const definition = {
    type: "log",
    static_parameters: [{ name: "category", required: true, type: "string", default: "weather" }],
    tool: {
      type: "function",
      function: { name: "note_rain", description: "Notes", parameters: { type: "object" } },
    },
  };
  const { agent_id } = await createAgent(app, {
    script: 'on "note" -> call note_rain {"type": "experiment-returned", "description": "It rains"}',
    tools: [definition] as never,
  });
  const say = converse(app, agent_id);
  await say("");
  const { content } = await say("note");
  const { items } = (
    await app.send(
      "GET",
      `/api/v1/events/?search_fields=session_id&search_field_values=${content.session_id}&search_fields=category&search_field_values=weather`,
    )
  ).body;
  expect(items).toMatchObject([
    { type: "note_rain", description: "It rains", attributes: { type: "experiment-returned" } },
  ]);
});

describe("an address with a place for an argument", () => {
  const visit = (given: object) =>
    callOnce({
      url: `${peer.url}/visits/{id}/{day}`,
      endpoint: { argument_location: "path", method: "delete" },
      arguments: given,
    });

  test.each<[string, object, string]>([
    ["that was not given", { day: "mon" }, "id"],
    ["that is an empty text", { id: "", day: "mon" }, "id"],
    ["that is blank", { id: " ", day: "mon" }, "id"],
    ["that is null", { id: 7, day: null }, "day"],
    ["that is an empty list", { id: [], day: "mon" }, "id"],
  ])("is not called with one %s; the model is told which", async (_, given, name) => {
    const before = peer.requests.length;
    const { call } = await visit(given);
    expect(call.tool_error).toBe(
      `Invalid arguments: missing required parameter ${name}, which is part of the address.`,
    );
    expect(peer.requests.length).toBe(before);
  });

  test("is called with zero and false, which are values", async () => {
    peer.respond((_, response) => json(response, 200, {}));
    expect((await visit({ id: 0, day: false })).call.tool_error).toBeNull();
    expect(peer.requests.at(-1)?.path).toBe("/visits/0/false");
  });
});
