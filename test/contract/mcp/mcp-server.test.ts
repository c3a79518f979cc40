import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { API_KEY_HEADER } from "../../../src/api/server.ts";
import { OFFERED_OPERATIONS } from "../../../src/mcp/offered-operations.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { connect as connectTo } from "./mcp-client.ts";

let app: TestApp;
let baseUrl: string;
beforeAll(async () => {
  app = await createTestApp();
  baseUrl = await app.listen();
});

const connect = (token: string, era?: "2026-07-28" | "2025-11-25") => connectTo(baseUrl, token, era);

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  });
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("who may", () => {
  test("nobody without a token gets in, and a sign-in's cookie is none", async () => {
    for (const headers of [
      {},
      { cookie: "parley_sign_in=x" },
      { Authorization: "Bearer wrong" },
    ] as object[]) {
      const answer = await post(LIST, headers as Record<string, string>);
      expect(answer.status).toBe(401);
    }
    expect((await post(LIST)).headers.get("www-authenticate")).toBe("Bearer");
  });

  test("a page of another site is refused, even with a token", async () => {
    const from = (Origin: string) => post(LIST, { Origin, [API_KEY_HEADER]: app.token });
    expect((await from("https://elsewhere.example")).status).toBe(403);
    expect((await from("null")).status).toBe(403);
    expect((await from(baseUrl)).status).toBe(200);
  });

  test("a Host that is no address changes nothing", async () => {
    const body = JSON.stringify(LIST);
    for (const host of ["a b", "[", "%", "localhost:99999999", "/"]) {
      const headers = {
        host,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        [API_KEY_HEADER]: app.token,
      };
      const asked = request(`${baseUrl}/mcp`, { method: "POST", headers }).end(body);
      const [answer] = await once(asked, "response");
      answer.resume();
      expect(answer.statusCode, host).toBe(200);
    }
  });

  test("a token sees the tools that its permissions allow, and a call beyond them is refused in the API's words", async () => {
    const all = await connect(app.token);
    expect(await all.names()).toEqual([...Object.keys(OFFERED_OPERATIONS), "search_docs", "read_doc"]);
    const reader = await connect(await app.createToken(["agents_read"]));
    const seen = await reader.names();
    expect(seen).toContain("list_agents");
    expect(seen).not.toContain("delete_agent");
    expect(seen).not.toContain("list_sessions");
    expect(await reader.call("delete_agent", { agent_id: 1, reason: "test" })).toEqual({
      isError: true,
      text: "Missing permission: agents_delete",
    });
  });

  test("another organization's records are not there", async () => {
    const made = await (await connect(app.token)).call("create_agent_from_template", {
      body: { template: "faq", name: "Mine" },
    });
    const { agent } = JSON.parse(made.text);
    const neighbour = await connect((await app.createNeighbour()).token);
    expect(await neighbour.call("get_agent", { agent_id: agent.id })).toEqual({
      isError: true,
      text: `Agent with ID ${agent.id} not found`,
    });
  });

  test("calls count towards the limits of a token", async () => {
    const limited = await createTestApp({ API_CALLS_PER_TOKEN: "2" });
    const url = await limited.listen();
    const call = () =>
      fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          [API_KEY_HEADER]: limited.token,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "list_agents", arguments: {} },
        }),
      }).then((answer) => answer.text());
    expect(await call()).not.toContain("The limit of");
    expect(await call()).not.toContain("The limit of");
    expect(await call()).toContain("The limit of 2 calls");
  });
});

describe("tools", () => {
  test("both revisions of the protocol are spoken, without a session", async () => {
    for (const era of ["2026-07-28", "2025-11-25"] as const) {
      const { client, call } = await connect(app.token, era);
      expect(client.getServerVersion()).toMatchObject({ name: "parley" });
      expect(client.getInstructions()).toContain("publish_agent");
      expect(await call("list_agents", { limit: 1 })).toMatchObject({ isError: false });
    }
    for (const method of ["GET", "DELETE"])
      expect(
        (await fetch(`${baseUrl}/mcp`, { method, headers: { [API_KEY_HEADER]: app.token } })).status,
      ).toBe(405);
  });

  test("each has a schema that stands by itself, says whether it changes anything, and all fit into a model's window", async () => {
    const { client } = await connect(app.token);
    const { tools } = await client.listTools();
    for (const { inputSchema, annotations, name } of tools) {
      const text = JSON.stringify(inputSchema);
      for (const [, referred = ""] of text.matchAll(/"\$ref":"([^"]+)"/g))
        expect(Object.keys((inputSchema.$defs ?? {}) as object)).toContain(referred.replace("#/$defs/", ""));
      const effect = OFFERED_OPERATIONS[name];
      expect(annotations).toMatchObject({ readOnlyHint: effect === undefined || effect === "reads" });
    }
    expect(tools.find(({ name }) => name === "delete_agent")?.annotations).toMatchObject({
      destructiveHint: true,
    });
    expect(JSON.stringify(tools).length).toBeLessThan(100_000);
  });

  test("each record that a tool changes another one reads first, and the documentation says how many tools there are", () => {
    const offered = Object.keys(OFFERED_OPERATIONS);
    const changed = offered.flatMap((name) => /^update_(\w+)$/.exec(name)?.[1] ?? []);
    expect(changed.length).toBeGreaterThan(5);
    expect(changed.filter((record) => !offered.includes(`get_${record}`))).toEqual([]);
    expect(readFileSync("docs/mcp.md", "utf8")).toContain(`\n${offered.length} operations of the API`);
    expect(readFileSync("docs/mcp-tools.md", "utf8")).toContain(`null,${offered.length + 2}]`);
  });

  test("no tool, and nothing that AGENTS.md names, is an operation that is deprecated", () => {
    const { paths } = JSON.parse(readFileSync("openapi.json", "utf8"));
    const operations = Object.values<Record<string, { operationId?: string; deprecated?: boolean }>>(paths);
    const deprecated = operations
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId, deprecated }) => (deprecated && operationId ? [operationId] : []));
    expect(deprecated).toContain("create_language_group");
    const named = [...readFileSync("AGENTS.md", "utf8").matchAll(/`(\w+)`/g)].map(
      ([, name]) => name as string,
    );
    expect(named).toContain("create_agent");
    const offered = [...Object.keys(OFFERED_OPERATIONS), ...named];
    expect(offered.filter((name) => deprecated.includes(name))).toEqual([]);
  });

  test("a service is read, changed and sent back without its secret, which stays", async () => {
    const { call } = await connect(app.token);
    const service = { name: "Calendar", description: "", auth_type: "bearer" };
    const made = await call("create_service", {
      body: { ...service, auth_values: { token: "planted-secret" }, allowed_hosts: ["api.example.com"] },
    });
    const { id } = JSON.parse(made.text);
    const read = await call("get_service", { service_id: id });
    expect(read.text).not.toContain("planted-secret");
    const changed = { ...JSON.parse(read.text), description: "Bookings" };
    const answer = JSON.parse((await call("update_service", { body: changed })).text);
    expect(answer).toMatchObject({ description: "Bookings", auth_value_keys: ["token"] });
  });

  test("one request is one message", async () => {
    const batch = await post([LIST, LIST], { [API_KEY_HEADER]: app.token });
    expect([batch.status, await batch.json()]).toEqual([400, { detail: "Send one message in a request." }]);
  });

  test("what is wrong is told as the API tells it, with its place, and the model can go on", async () => {
    const { call, client } = await connect(app.token);
    expect(await call("create_prompt", { body: { name: "" } })).toMatchObject({
      isError: true,
      text: expect.stringContaining("body.name: "),
    });
    expect(await call("get_agent", { agent_id: 9_999_999 })).toEqual({
      isError: true,
      text: "Agent with ID 9999999 not found",
    });
    expect(await call("get_agent")).toEqual({ isError: true, text: "Give agent_id." });
    expect(await call("get_agent", { id: 1 })).toEqual({
      isError: true,
      text: "There is no argument id. get_agent takes agent_id.",
    });
    // Never another operation's address.
    expect(await call("get_tool", { tool_name: ".." })).toEqual({ isError: true, text: "Give tool_name." });
    expect((await call("get_tool", { tool_name: "../services/" })).isError).toBe(true);
    await expect(client.callTool({ name: "delete_everything", arguments: {} })).rejects.toThrow(
      "There is no tool delete_everything.",
    );
  });

  test("a very large answer is cut, and says so", async () => {
    const { call } = await connect(app.token);
    const context = "word ".repeat(30_000);
    const body = { name: "Long", type: "prompt_v1", context, llm_config: { model: "scripted" }, tools: [] };
    const made = await call("create_prompt", { body });
    expect(made.isError).toBe(false);
    expect(made.text).toContain("the rest is left out");
    expect(made.text.length).toBeLessThan(101_000);
  });

  test("the documentation is searched and read", async () => {
    const { call } = await connect(await app.createToken([]));
    expect((await call("search_docs", { query: "publish a version when tests pass" })).text).toContain(
      "(versions.md)",
    );
    expect((await call("read_doc")).text.split("\n")).toContain("reference/tasks.md");
    expect((await call("read_doc", { page: "versions.md" })).text).toContain("# ");
    expect((await call("read_doc", { page: "../package.json" })).isError).toBe(true);
  });
});

describe("the audit trail", () => {
  const trail = async () => {
    const { body } = await app.send("GET", "/api/v1/audit_entries/?limit=100");
    return body.items as Record<string, unknown>[];
  };

  test("a change has the operation's own entry and one that it came by MCP, without its arguments", async () => {
    const { call } = await connect(app.token);
    await call("create_service", {
      body: {
        name: "Audited",
        description: "",
        auth_type: "bearer",
        auth_values: { token: "planted-secret" },
      },
    });
    const entries = await trail();
    const [byMcp] = entries.filter(({ resource_id }) => resource_id === "create_service");
    const own = entries.filter(({ resource, action }) => resource === "services" && action === "create");
    expect(byMcp).toMatchObject({ action: "call", resource: "mcp_tools", after: { status: 200 } });
    const { operation_request_id } = (byMcp as { after: Record<string, unknown> }).after;
    expect(own.map(({ request_id }) => request_id)).toContain(operation_request_id);
    expect(JSON.stringify(entries)).not.toContain("planted-secret");
  });

  test("reads of an hour are one entry that counts them, and a refused change is in it too", async () => {
    const { call } = await connect(await app.createToken(["events_read"]));
    for (let at = 0; at < 3; at++) await call("list_events");
    await call("create_service", { body: { name: "Refused", description: "" } });
    const entries = await trail();
    expect(entries.filter(({ resource_id }) => resource_id === "list_events")).toMatchObject([
      { after: { status: 200, times: 3 } },
    ]);
    expect(entries.find(({ resource_id }) => resource_id === "create_service")).toMatchObject({
      after: { status: 403 },
    });
  });
});
