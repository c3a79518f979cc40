import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { parseJson } from "../../../src/base/parse-json.ts";
import { PROVIDERS } from "../../../src/llm/catalogue.ts";
import { steps } from "../../../src/workflows/run-steps.examples.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createLoopbackModels, type LoopbackModels } from "../../harness/loopback-models.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import type { Plan } from "../../harness/planned-model.ts";
import { freshName, plannedSession, workflow } from "../../harness/planned-session.ts";

let app: TestApp;
let models: LoopbackModels;
let peer: Peer;
beforeAll(async () => {
  app = await createTestApp();
  models = await createLoopbackModels(app);
  peer = await createPeer();
});

const LONG = "12345678901234567891";

/** One call that the model makes of a tool with this schema; what came of it, and the body that was sent. */
async function callOnce(
  given: Record<string, unknown>,
  more: {
    parameters?: object;
    definition?: object;
    endpoint?: object;
    answer?: (response: ServerResponse) => void;
  } = {},
) {
  const name = freshName("tool");
  peer.respond((_, response) => (more.answer ? more.answer(response) : json(response, 200, { ok: true })));
  const endpoint = { method: "post", argument_location: "body", ...more.endpoint };
  const tool = endpointTool(name, `${peer.url}/${name}`, { ...more, endpoint });
  const plans: Plan[] = [{ calls: [[name, given]] }, { text: "Done." }];
  const session = await plannedSession(app, [tool], { plans });
  const { calls } = await session.say("go");
  const body = peer.requests.find(({ path }) => path.startsWith(`/${name}`))?.body;
  return { ...session, call: calls[0], body: body === undefined ? null : body };
}

describe("whole numbers beyond 2^53", () => {
  test("keep their digits from the service to the model, and back to a service that takes a number", async () => {
    const { call, requests } = await callOnce(
      {},
      {
        answer: (response) =>
          void response.setHeader("content-type", "application/json").end(`{"id": ${LONG}, "n": 7}`),
      },
    );
    expect(call?.result).toEqual({ id: LONG, n: 7 });
    expect(JSON.stringify(requests[1]?.messages)).toContain(LONG);

    const parameters = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
    expect((await callOnce({ id: LONG }, { parameters })).body).toBe(`{"id":${LONG}}`);
    const texts = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    expect((await callOnce({ id: LONG }, { parameters: texts })).body).toBe(`{"id":"${LONG}"}`);
  });

  test("and numbers past all of JavaScript's are texts too, and no nothing", async () => {
    const texts = '{"n": 1e400, "m": [-1.5E+999, 1e300], "id": "1e4000", "s": 1e-400}';
    const { call } = await callOnce(
      {},
      { answer: (response) => void response.setHeader("content-type", "application/json").end(texts) },
    );
    expect(call?.result).toEqual({ n: "1e400", m: ["-1.5E+999", 1e300], id: "1e4000", s: 0 });
    expect(parseJson("1e400")).toBe("1e400");
  });

  test.each(PROVIDERS)("keep their digits in the arguments that a model of %s writes", async (provider) => {
    const name = freshName("book");
    const parameters = {
      type: "object",
      properties: { id: { type: "integer" }, ids: { type: "array", items: { type: "integer" } } },
    };
    const tool = endpointTool(name, `${peer.url}/${name}`, {
      parameters,
      endpoint: { method: "post", argument_location: "body" },
    });
    peer.respond((_, response) => json(response, 200, { ok: true }));
    const { say } = await plannedSession(app, [tool], { engine: models.engine(provider) });
    const body = `{"id":${LONG},"ids":[-${LONG},7]}`;
    models.server.reply({ calls: [{ id: "call-1", name, arguments: body }] }, { text: ["Booked: 5."] });
    expect(await say("go")).toMatchObject({ messages: ["Booked: 5."] });
    expect(peer.requests.find(({ path }) => path === `/${name}`)?.body).toBe(body);
    expect(JSON.stringify(models.server.requests.at(-1)?.body)).toContain(LONG);
  });

  test("are read as their digits, and other numbers as numbers", () => {
    expect(
      parseJson(`[${LONG}, -${LONG}, 9007199254740991, 1.5e20, 0.1234567890123456789, "${LONG}"]`),
    ).toEqual([LONG, `-${LONG}`, 9007199254740991, 1.5e20, 0.12345678901234568, LONG]);
  });
});

describe("what a tool does to its arguments on purpose", () => {
  const closed = {
    type: "object",
    properties: { city: { type: "string" }, n: { type: "integer" } },
    required: ["city"],
    additionalProperties: false,
  };
  const defaults = (rules: object) => ({ parameters: closed, definition: { defaults: rules } });
  const remove = { transform: { action: "remove" } };

  test("a required argument that is removed is sent nowhere, and the call succeeds", async () => {
    const { call, body } = await callOnce({ city: "Bronx", n: 1 }, defaults({ city: remove }));
    expect(call?.error).toBeNull();
    expect(JSON.parse(body ?? "")).toEqual({ n: 1 });
  });

  test("a default outside a closed schema is sent", async () => {
    const { call, body } = await callOnce({ city: "Bronx" }, defaults({ channel: "phone" }));
    expect(call?.error).toBeNull();
    expect(JSON.parse(body ?? "")).toEqual({ city: "Bronx", channel: "phone" });
  });

  test("the model can't give what only a default may", async () => {
    const { call } = await callOnce({ city: "Bronx", channel: "mail" }, defaults({ channel: "phone" }));
    expect(call?.error).toContain("Invalid arguments");
  });

  test("what the pipeline makes has the types of the schema", async () => {
    const format = { transform: { action: "override", format: "{city}" } };
    expect((await callOnce({ city: "Bronx" }, defaults({ n: format }))).call?.error).toContain(
      "n must be integer",
    );
  });

  test("a required argument that neither the model nor a default gives is still missing", async () => {
    const when = { transform: { value: "New York", when: { key: "n", value: "7" } } };
    expect((await callOnce({ n: 1 }, defaults({ city: when }))).call?.error).toContain(
      "missing required parameter city",
    );
    expect((await callOnce({ n: 7 }, defaults({ city: when }))).call?.error).toBeNull();
  });

  test.each([[null], [""]])("a plain default stands in for %j", async (nothing) => {
    const { body } = await callOnce({ city: nothing }, defaults({ city: "Queens" }));
    expect(JSON.parse(body ?? "")).toEqual({ city: "Queens" });
  });

  test.each<[unknown, unknown]>([
    ["5", 5],
    [" 5 ", 5],
    ["-5", -5],
  ])("%j is taken for the integer it is", async (given, sent) => {
    const { body } = await callOnce({ city: "Bronx", n: given }, { parameters: closed });
    expect(JSON.parse(body ?? "")).toEqual({ city: "Bronx", n: sent });
  });

  test.each([["05"], ["5.5"], ["five"], ["5e1"]])("%j is no integer", async (given) => {
    expect((await callOnce({ city: "Bronx", n: given }, { parameters: closed })).call?.error).toContain(
      "n must be",
    );
  });
});

test("descriptions are filled in wherever a schema has them, and nothing else is", async () => {
  const parameters = {
    type: "object",
    properties: {
      description: { type: "string", description: "Of {{ vars.place }}", enum: ["{{ vars.place }}"] },
      visit: {
        type: "object",
        properties: { day: { type: "string", description: "At {{ vars.place }}" } },
      },
      list: { type: "array", items: { anyOf: [{ type: "string", description: "In {{ vars.place }}" }] } },
    },
  };
  const name = freshName("tool");
  const { say, requests } = await plannedSession(app, [endpointTool(name, peer.url, { parameters })], {
    agent: { variables: { "vars.place": "the clinic" } },
  });
  await say("hi");
  const offered = requests[0]?.tools.find((tool) => tool.name === name)?.parameters;
  expect(offered).toMatchObject({
    properties: {
      description: { description: "Of the clinic", enum: ["{{ vars.place }}"] },
      visit: { properties: { day: { description: "At the clinic" } } },
      list: { items: { anyOf: [{ description: "In the clinic" }] } },
    },
  });
});

test.each<[string, string, Buffer]>([
  ["a byte order mark", "application/json", Buffer.from('\ufeff{"name":"Zoë"}')],
  ["Latin 1", "application/json; charset=iso-8859-1", Buffer.from('{"name":"Zoë"}', "latin1")],
  ["UTF-16 with its mark", "application/json", Buffer.from('\ufeff{"name":"Zoë"}', "utf16le")],
  ["UTF-16 by its name", 'application/json; charset="utf-16le"', Buffer.from('{"name":"Zoë"}', "utf16le")],
  ["a character set that nobody knows", "application/json; charset=x-none", Buffer.from('{"name":"Zoë"}')],
])("JSON with %s is read", async (_, type, bytes) => {
  const { call } = await callOnce(
    {},
    { answer: (response) => void response.setHeader("content-type", type).end(bytes) },
  );
  expect(call).toMatchObject({ error: null, result: { name: "Zoë" } });
});

test("tool_result gives the whole result of which the model read the beginning", async () => {
  const rows = Array.from({ length: 4_000 }, (_, n) => ({ n, text: "a free slot" }));
  const { call, session_id } = await callOnce({}, { answer: (response) => json(response, 200, { rows }) });
  expect(String(call?.result)).toMatch(/… \[cut: \d+ characters in all\]$/);
  const path = `/api/v1/session_debug/tool_result/${session_id}/${call?.tool_call_id}`;
  expect((await app.send("GET", path)).body.tool_result).toEqual({ rows });
});

test("the test operation's first answer carries the agent's variables", async () => {
  const { agent_id } = await createAgent(app, {
    script: "",
    greeting: { text: "Hello." },
    agent: { variables: { "vars.place": "the clinic" } },
  });
  const first = await converse(app, agent_id)("");
  expect(first.text).toBe("Hello.");
  expect(first.content.variables).toEqual({ "vars.place": "the clinic" });
});

describe("an input that takes an integer", () => {
  const flow = () =>
    workflow({
      ...steps([
        {
          id: "A",
          inputs: [{ name: "n", type: "integer", enum: ["1", "2", "3"] }],
          on: { submit: [{ action: "save" }] },
          next: ["B"],
        },
        { id: "B", next: ["B"] },
      ]),
      tool: { name: freshName("submit"), description: "" },
    });

  test.each<[unknown]>([[2], ["2"]])(
    "with choices is offered numbers, and takes %j as one of them",
    async (given) => {
      const { record, submit } = flow();
      const { say, requests } = await plannedSession(app, [record], {
        plans: [{ calls: [[submit, { n: given }]] }],
      });
      const { variables } = await say("two");
      expect(requests[0]?.tools.find(({ name }) => name === submit)?.parameters).toMatchObject({
        properties: { n: { type: "integer", enum: [1, 2, 3] } },
      });
      expect(variables).toMatchObject({ n: 2 });
    },
  );
});

test("a call of a submission is not made while a transition lacks what it requires, and then once", async () => {
  const name = freshName("book");
  peer.respond((_, response) => json(response, 200, { ok: true }));
  const flow = workflow({
    ...steps([
      {
        id: "A",
        inputs: [
          { name: "day", type: "string" },
          { name: "phone", type: "string", required: false },
        ],
        on: { submit: [{ action: "call", name, result: { save: [{ from: "ok", to: "booked" }] } }] },
        next: [
          { id: "B", if: "local.never" },
          { id: "B", if: "inputs.day == 'mon'", requires: ["phone"] },
        ],
      },
      { id: "B", next: ["B"] },
    ]),
    tool: { name: freshName("submit"), description: "" },
  });
  const sent = () => peer.requests.filter(({ path }) => path === `/${name}`).length;
  const { say, requests } = await plannedSession(
    app,
    [flow.record, endpointTool(name, `${peer.url}/${name}`)],
    {
      plans: [
        { calls: [[flow.submit, { day: "mon" }]] },
        { text: "And your number?" },
        { calls: [[flow.submit, { phone: "555" }]] },
        { text: "Booked." },
      ],
    },
  );
  await say("Monday");
  expect(sent()).toBe(0);
  expect(JSON.stringify(requests[1]?.messages)).toContain("phone is needed before going on");
  await say("555");
  expect(sent()).toBe(1);
});
