import { beforeAll, describe, expect, test } from "vitest";
import { createAgent, type TestAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { operationsOf } from "../../harness/operations.ts";

let app: TestApp;
let agent: TestAgent;
let phone: number;
beforeAll(async () => {
  app = await createTestApp();
  agent = await createAgent(app, { script: "", greeting: { text: "Hi." } });
  const body = { name: "Phone", channel_service: "sip", supported_modes: "voice,sms", config: {} };
  phone = (await app.send("POST", "/api/v1/channels/", body)).body.id;
});

const target = (more: object = {}) => ({
  agent_id: agent.agent_id,
  channel_id: phone,
  target: "+15125550001",
  target_mode: "voice",
  ...more,
});
const create = (more: object = {}) => app.send("POST", `/api/v1/channels/${phone}/targets`, target(more));
const list = async (query: string) => (await app.send("GET", `/api/v1/channels/targets?${query}`)).body;
const search = (pairs: [string, string][]) =>
  pairs
    .map(([field, value]) => `search_fields=${field}&search_field_values=${encodeURIComponent(value)}`)
    .join("&");

describe("listing channel targets", () => {
  beforeAll(async () => {
    await create({ target: "+15125550010", fallback_target: "+15125559999" });
    await create({ target: "+15125550010", target_mode: "sms", is_test: true });
    await create({ target: "+15125550011" });
  });

  test("answers all twelve fields, the age of its identity key and whether its page calls, the linked agent among them", async () => {
    const { items } = await list(
      search([
        ["target", "5550010"],
        ["target_mode", "voice"],
      ]),
    );
    expect(items).toEqual([
      {
        agent_id: agent.agent_id,
        channel_id: phone,
        target: "+15125550010",
        target_mode: "voice",
        fallback_target: "+15125559999",
        is_test: false,
        id: expect.any(Number),
        channel_name: "Phone",
        updated_at: "2026-11-18T12:00:00+00:00",
        last_updated_by: "admin@example.com",
        identity_key_set_at: null,
        browser_calls: false,
        agent: expect.objectContaining({
          id: agent.agent_id,
          type: "ca_v1",
          prompt: expect.objectContaining({ id: agent.prompt_id }),
          custom_message: expect.objectContaining({ text: "Hi." }),
          validation_issues: [],
        }),
        a2p_verified: null,
      },
    ]);
  });

  test.each([
    [[["target_mode_list", "voice,sms"]], 3],
    [[["target_mode_list", " sms , ,"]], 1],
    [[["target_mode_list", " , "]], 0],
    [
      [
        ["target_mode_list", "voice,sms"],
        ["target_mode", "sms"],
      ],
      1,
    ],
    [
      [
        ["target_mode_list", "sms"],
        ["target_mode", "voice"],
      ],
      0,
    ],
    [[["is_test", "TRUE"]], 1],
    [[["channel_name", "PHO"]], 3],
    [[["target", "%"]], 0],
    [[["a2p_verified", "false"]], 0],
    [[["a2p_verified", "true"]], 0],
  ] as [[string, string][], number][])("%j matches %i", async (pairs, count) => {
    const found = await list(search([...pairs, ["channel_id", String(phone)]]));
    expect(found.total_count).toBe(count);
  });

  test("orders by any of its fields but the filter-only list of modes", async () => {
    const ofPhone = search([["channel_id", String(phone)]]);
    const { items } = await list(`${ofPhone}&order_by=target&order_by_direction=desc&limit=1`);
    expect(items[0].target).toBe("+15125550011");
    const refused = await app.send("GET", "/api/v1/channels/targets?order_by=target_mode_list");
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "order_by"], type: "enum" }] },
    });
  });

  test("one answer names all that is wrong with a question: the page, an order and values of searches alike", async () => {
    const both = "search_fields=id&search_fields=target&search_fields=updated_at";
    const values = "search_field_values=x&search_field_values=y&search_field_values=then";
    const refused = await app.send(
      "GET",
      `/api/v1/channels/targets?page=-1&order_by=phone&${both}&${values}`,
    );
    expect(refused.status).toBe(422);
    expect(refused.body.detail.map(({ loc }: { loc: unknown[] }) => loc.join("."))).toEqual([
      "query.page",
      "query.order_by",
      "query.search_field_values.0",
      "query.search_field_values.2",
    ]);
    const uneven = await app.send("GET", "/api/v1/channels/targets?limit=many&search_fields=id");
    expect(uneven.body.detail.map(({ loc }: { loc: unknown[] }) => loc.join("."))).toEqual([
      "query.limit",
      "query.search_field_values",
    ]);
  });

  test.each([
    "search_fields=phone&search_field_values=1",
    "search_fields=phone&search_fields=target&search_field_values=1&search_field_values=2",
    "fields=phone",
  ])("%s names no field: the answer says which there are", async (query) => {
    const [field] = query.split("=");
    const refused = await app.send("GET", `/api/v1/channels/targets?${query}`);
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toEqual([
      { loc: ["query", field, 0], msg: expect.stringContaining("'target_mode_list'"), type: "enum" },
    ]);
  });

  test("openapi.json tells what a parameter that is left out stands for", async () => {
    const operations = await operationsOf(app.api.server);
    const listing = operations.find(({ key }) => key === "GET /api/v1/channels/targets");
    const defaults = listing?.parameters.flatMap(({ name, schema }) =>
      "default" in schema ? [[name, schema.default]] : [],
    );
    expect(Object.fromEntries(defaults ?? [])).toEqual({
      page: 0,
      limit: 25,
      search_fields: [],
      search_field_values: [],
      fields: [],
    });
  });

  test("pages never overlap and a limit of 0 gives totals only", async () => {
    const ofPhone = search([["channel_id", String(phone)]]);
    const seen = [];
    for (const page of [0, 1, 2]) seen.push(...(await list(`${ofPhone}&limit=1&page=${page}`)).items);
    expect(new Set(seen.map((item) => item.id)).size).toBe(3);
    expect(await list(`${ofPhone}&limit=0`)).toMatchObject({ items: [], page_size: 0, total_count: 3 });
    expect((await list(`${ofPhone}&limit=1000000000&page=1000000000`)).items).toEqual([]);
  });

  test("is bounded by the date range, the start included and the end not", async () => {
    const ofPhone = search([["channel_id", String(phone)]]);
    const at = "2026-11-18T12:00:00Z";
    expect((await list(`${ofPhone}&start_datetime=${at}`)).total_count).toBe(3);
    expect((await list(`${ofPhone}&end_datetime=${at}`)).total_count).toBe(0);
    const refused = await app.send("GET", "/api/v1/channels/targets?start_datetime=2026-02-30");
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["query", "start_datetime"] }] } });
  });

  test("hides what is not asked for where the record allows null", async () => {
    const { items } = await list(`${search([["channel_id", String(phone)]])}&fields=target&limit=1`);
    expect(items[0]).toMatchObject({ target: expect.any(String), agent: null, fallback_target: null });
    expect(items[0].agent_id).toBe(agent.agent_id);
  });

  test("shows a neighbour nothing", async () => {
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("GET", "/api/v1/channels/targets")).body.total_count).toBe(0);
  });
});

describe("linking an agent to an address", () => {
  test("claims it once for each mode, until it is deleted", async () => {
    const made = await create({ target: "+15125550020" });
    expect(made.status).toBe(200);
    expect(await create({ target: "+15125550020" })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("already has an agent for voice") },
    });
    const gone = await app.send("DELETE", `/api/v1/channels/${phone}?target_id=${made.body.id}`);
    expect(gone.body).toEqual({ success: true });
    const { items } = (await app.send("GET", "/api/v1/channels/available-targets")).body;
    expect(items).toContainEqual(expect.objectContaining({ channel_id: phone, target: "+15125550020" }));
    expect((await create({ target: "+15125550020" })).status).toBe(200);
  });

  test("claims a mailbox in whatever case, and may write its own otherwise", async () => {
    const body = {
      name: "Mail",
      channel_service: "email",
      supported_modes: "email",
      config: { email: { sending_domain: "clinic.example" } },
    };
    const { id: channel_id } = (await app.send("POST", "/api/v1/channels/", body)).body;
    const path = `/api/v1/channels/${channel_id}/targets`;
    const desk = (name: string) => target({ channel_id, target: name, target_mode: "email" });
    const made = await app.send("POST", path, desk("desk@clinic.example"));
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    expect(await app.send("POST", path, desk("Desk@Clinic.example"))).toMatchObject({
      status: 400,
      body: { detail: "Target Desk@Clinic.example already has an agent for email." },
    });
    const { id } = made.body;
    const written = await app.send("PUT", `${path}/${id}`, { ...desk("Desk@clinic.example"), id });
    expect(written).toMatchObject({ status: 200, body: { target: "Desk@clinic.example" } });
  });

  test("can be changed, also to another agent", async () => {
    const made = (await create({ target: "+15125550021" })).body;
    const other = await createAgent(app, { script: "" });
    const path = `/api/v1/channels/${phone}/targets/${made.id}`;
    const changed = await app.send("PUT", path, {
      ...target({ target: "+15125550021" }),
      id: made.id,
      agent_id: other.agent_id,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { agent_id: other.agent_id, agent: { id: other.agent_id } },
    });
    expect((await app.send("GET", path)).body).toEqual(changed.body);
  });

  test.each([
    ["a mode the channel lacks", { target_mode: "email" }, 400, /does not support email/],
    ["an address that is none", { target: "front desk" }, 400, /has to be a number/],
    [
      "a fallback on sms",
      { target_mode: "sms", fallback_target: "+15125559999" },
      422,
      /only supported for voice/,
    ],
    [
      "a fallback that is not dialled",
      { fallback_target: "1 (900) 555-1234" },
      422,
      /\+19005551234 is a premium-rate number, and OUTREACH_ALLOW does not name it/,
    ],
    ["a fallback that nobody can dial", { fallback_target: "front desk" }, 422, /phone number, or a SIP/],
    ["an agent that is not there", { agent_id: 987_654 }, 404, /Agent with ID 987654 not found/],
    ["another channel in the body", { channel_id: 987_654 }, 422, /differs/],
    [
      "a mode that is none",
      { target_mode: "fax" },
      422,
      /Input should be 'voice', 'chat', 'sms', 'email' or 'whatsapp'/,
    ],
  ])("is refused for %s", async (_what, more, status, sentence) => {
    const answer = await create({ target: "+15125550030", ...more });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body.detail)).toMatch(sentence);
  });

  test("a neighbour can't use our channel, our agent or our target", async () => {
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("POST", `/api/v1/channels/${phone}/targets`, target())).status).toBe(404);
    const made = (await create({ target: "+15125550040" })).body;
    const answer = await neighbour.send("DELETE", `/api/v1/channels/${phone}?target_id=${made.id}`);
    expect(answer.status).toBe(404);
    expect((await app.send("GET", `/api/v1/channels/${phone}/targets/${made.id}`)).status).toBe(200);
  });
});

test.each(["", " , "])(
  "a channel that names no mode has those of its service: %j",
  async (supported_modes) => {
    const made = await app.send("POST", "/api/v1/channels/", {
      name: `Modes "${supported_modes}"`,
      channel_service: "twilio",
      supported_modes,
      config: {},
    });
    expect(made.body).toMatchObject({ supported_modes: "voice,sms" });
  },
);

test("a chat target can't be named as the widget's script is, which lies at the same address", async () => {
  const { channel_id, agent_id, target } = await createAgent(app, { script: "" });
  const input = { agent_id, channel_id, target: "widget.js", target_mode: "chat" };
  const expected = {
    status: 422,
    body: {
      detail: [
        {
          loc: ["body", "target"],
          msg: "widget.js is where the widget's script is; choose another name",
          type: "value_error",
        },
      ],
    },
  };
  expect(await app.send("POST", `/api/v1/channels/${channel_id}/targets`, input)).toMatchObject(expected);
  const { items } = (
    await app.send("GET", `/api/v1/channels/targets?search_fields=target&search_field_values=${target}`)
  ).body;
  const moved = { ...input, id: items[0].id };
  expect(await app.send("PUT", `/api/v1/channels/${channel_id}/targets/${items[0].id}`, moved)).toMatchObject(
    expected,
  );
  expect((await app.send("GET", "/chat/widget.js")).headers["content-type"]).toMatch(/javascript/);
});
