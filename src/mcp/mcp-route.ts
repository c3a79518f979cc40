import { readFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Server } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditCounted } from "../accounts/audit/counted-audit.ts";
import type { Caller } from "../api/caller.ts";
import { madeOnce } from "../api/made-once.ts";
import { isOwnPage } from "../api/own-page.ts";
import { API_KEY_HEADER, type Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { callOperation, type McpAnswer } from "./call-operation.ts";
import { callDocsTool, DOCS_TOOLS, isDocsTool } from "./docs-tools.ts";
import { type OperationTool, toolDefinitions } from "./tool-definitions.ts";

type Protocol = typeof import("@modelcontextprotocol/server");
type Deps = { db: Db; clock: Clock; log: Log; version: string; apiKeyHeaders: string[] };

const INSTRUCTIONS =
  "Parley runs conversational agents. An agent has a prompt, and the prompt names its tools. " +
  "Arguments are the operation's path and query parameters by name, and body for its JSON body. " +
  "A PUT (update_…) replaces the record: read it first and send all of it. " +
  "Before you write a tool's definition or a test suite, look it up with search_docs. " +
  "Work in this order: create or update, check the findings in validation_issues, talk with the draft by " +
  "send_test_message, run its test suite, then publish_agent.";

/**
 * `/mcp`: the API as tools for models, by the Model Context Protocol over streamable HTTP. Nothing is remembered between
 * two requests, so any process answers any of them. Decision 0163.
 */
export function mcpRoutes(api: Api, deps: Deps): void {
  const { server } = api;
  const tools = madeOnce(async (): Promise<Map<string, OperationTool>> => {
    const document = await documentOf(server);
    return new Map(toolDefinitions(document).map((tool) => [tool.name, tool]));
  });
  const headers = [API_KEY_HEADER, ...deps.apiKeyHeaders].map((name) => name.toLowerCase());
  const callers = new WeakMap<FastifyRequest, { caller: Caller; token: string }>();

  const serverFor = (protocol: Protocol, request: FastifyRequest): Server => {
    const signedIn = callers.get(request);
    if (!signedIn) throw new Fault("not-authenticated", "Not authenticated");
    const { caller, token } = signedIn;
    const mcp = new protocol.Server(
      { name: "parley", title: "Parley", version: deps.version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    mcp.setRequestHandler("tools/list", async () => ({
      tools: [
        ...[...(await tools()).values()]
          .filter(({ key }) => caller.permissions.has(api.permissionOf.get(key) ?? ""))
          .map(({ shown }) => shown),
        ...DOCS_TOOLS,
      ],
    }));
    mcp.setRequestHandler("tools/call", async ({ params }): Promise<McpAnswer> => {
      const { name, arguments: given = {} } = params;
      if (isDocsTool(name)) return callDocsTool(name, given);
      const tool = (await tools()).get(name);
      if (!tool)
        throw new protocol.ProtocolError(
          protocol.ProtocolErrorCode.InvalidParams,
          `There is no tool ${name}.`,
        );
      const called = await callOperation(server, tool, given, { token, address: request.ip });
      await auditCall(api, deps, caller, tool, called);
      return called.answer;
    });
    return mcp;
  };

  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    // Thousands of calls in one request would all run at once; the protocol has no batches since 2025-06-18.
    if (Array.isArray(request.body)) throw new Fault("refused", "Send one message in a request.");
    // Read by the first who asks: it is 5 MiB of memory.
    const protocol = await import("@modelcontextprotocol/server");
    const handler = protocol.createMcpHandler(() => serverFor(protocol, request), {
      // Tools change with a new version of the program only, so there is nothing to listen to.
      maxSubscriptions: 0,
      onerror: (error) => deps.log.debug({ err: error }, "mcp request refused"),
    });
    const response = await handler.fetch(webRequest(request), { parsedBody: request.body });
    reply.code(response.status).header("cache-control", "no-store");
    for (const [name, value] of response.headers) reply.header(name, value);
    return reply.send(
      response.body ? Readable.fromWeb(response.body as unknown as ReadableStream) : undefined,
    );
  };

  server.route({
    method: ["GET", "POST", "DELETE"],
    url: "/mcp",
    schema: { hide: true },
    onRequest: async (request, reply) => {
      const token = tokenOf(request, headers);
      // A browser sends its cookie by itself, wherever a page sends it; a token is sent on purpose.
      if (token === null) {
        reply.header("www-authenticate", "Bearer");
        throw new Fault("not-authenticated", "Send an API token as Authorization: Bearer <token>.");
      }
      refuseForeignOrigin(request);
      request.headers[API_KEY_HEADER.toLowerCase()] = token;
      const caller = await api.authenticate(request);
      if (!caller) throw new Fault("not-authenticated", "Not authenticated");
      callers.set(request, { caller, token });
    },
    handler: serve,
  });
}

/**
 * As `./parley derive` wrote it: making it anew keeps the process from everything else for a second. A test holds that it
 * is the document that is served.
 */
async function documentOf(server: FastifyInstance): Promise<object> {
  const written = await readFile(path.resolve(import.meta.dirname, "../../openapi.json"), "utf8").catch(
    () => null,
  );
  return written === null ? server.swagger() : JSON.parse(written);
}

function tokenOf(request: FastifyRequest, headers: string[]): string | null {
  for (const name of headers) {
    const value = request.headers[name];
    if (value !== undefined && name !== "authorization") return String(value);
  }
  return /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
}

/** The protocol asks for it: a page of another site must not reach a server of this machine through its visitor's browser. */
function refuseForeignOrigin(request: FastifyRequest): void {
  if (!isOwnPage(request)) throw new Fault("forbidden", "This request comes from another site.");
}

/** Without its body, which was read with the API's limits already, and without its Host, which may be no host at all. */
function webRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !UNWANTED.has(name)) headers.set(name, [value].flat().join(", "));
  return new Request("http://localhost/mcp", { method: request.method, headers });
}

/** Of the connection and of the body, which the request no longer has. */
const UNWANTED = new Set(["connection", "content-length", "transfer-encoding", "host", "expect"]);

/**
 * That a call came by MCP: reads counted by the hour, all else one entry a call. What changed has the operation's own
 * entry, in the transaction of the change, under the request id that this one names. Arguments are not kept here, for they
 * can hold secrets.
 */
async function auditCall(
  api: Api,
  { db, clock }: Deps,
  caller: Caller,
  { name, effect }: OperationTool,
  { status, request_id }: { status: number; request_id: string | null },
): Promise<void> {
  const entry = { action: "call", resource: "mcp_tools", resource_id: name };
  if (effect === "reads") {
    const key = `mcp ${name} ${status} ${caller.user_id} ${caller.api_token_id}`;
    await auditCounted(db, clock.now(), [{ by: caller, entry: { ...entry, after: { status } }, key }]);
    return;
  }
  await db
    .transaction()
    .execute((tx) =>
      api.audit(tx, caller, { ...entry, after: { status, operation_request_id: request_id } }),
    );
}
