import { BoundedCache } from "../../base/bounded-cache.ts";
import { sha256 } from "../../base/crypto.ts";
import type { Egress, EgressOutcome } from "../../egress/egress.ts";
import type { ServiceAuthenticator } from "../service-auth.ts";
import {
  answerHasCome,
  HANDSHAKE_REVISIONS,
  initializeMessage,
  MAX_ANSWER_BYTES,
  type McpAnswered,
  type McpConnection,
  type McpMessage,
  mcpRequest,
  parameterHeaders,
  readAnswer,
  STATELESS_REVISION,
} from "./mcp-wire.ts";

export type McpExchanged = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Names of the headers that are credentials, and their values. */
  proof: Record<string, string>;
  outcome: EgressOutcome | { kind: "no-auth"; reason: string };
  duration_ms: number;
};

/** One server, for one conversation or for reading its list. */
export type McpPeer = {
  service_id: number;
  url: string;
  /** Of the agent; the protocol's own and the credentials override them. */
  headers?: Record<string, string>;
  /** Whom a server may remember something of: two conversations never share a session of the protocol. */
  conversation: string;
  /** For everything together, from `began_ms` (of the process's clock) or from now on. */
  timeout_ms: number;
  began_ms?: number;
  signal?: AbortSignal;
  onExchange?(exchanged: McpExchanged): void;
};

type McpServer = { revision: string; name: string | null; version: string | null };
type McpFailure = { ok: false; problem: string };
export type McpListed = { ok: true; server: McpServer; tools: unknown[] } | McpFailure;
export type McpCalled = { ok: true; result: Record<string, unknown> } | McpFailure;

/** A client of the Model Context Protocol over streamable HTTP; never throws for what a server does. */
export type McpClient = {
  listTools(peer: McpPeer): Promise<McpListed>;
  callTool(
    peer: McpPeer,
    call: { name: string; arguments: Record<string, unknown>; schema: unknown },
  ): Promise<McpCalled>;
};

const MAX_PAGES = 20;
const MAX_TOOLS = 500;
const MAX_CONNECTIONS = 1_000;

type Known = { connection: McpConnection | null };

export function createMcpClient({ egress, auth }: { egress: Egress; auth: ServiceAuthenticator }): McpClient {
  /** How servers were found to speak: nothing but saved round trips, so any process may forget or lack it. */
  const known = new BoundedCache<Known>(MAX_CONNECTIONS);
  let last_id = 0;

  /** One peer with what is left of its time. */
  const open = (peer: McpPeer) => {
    const { began_ms = performance.now() } = peer;
    const left_ms = () => Math.max(1, peer.timeout_ms - (performance.now() - began_ms));

    const exchange = async (
      message: McpMessage,
      connection: McpConnection | null,
      more: Record<string, string> = {},
      isNotification = false,
    ): Promise<McpAnswered> => {
      const id = ++last_id;
      const { headers, body } = mcpRequest(message, connection, isNotification ? null : id);
      const own = { ...lower(peer.headers ?? {}), "user-agent": "Parley", ...headers, ...more };
      const send = async () => {
        const proved = await auth.headersFor(peer.service_id, peer.url);
        if (!proved.ok) {
          const outcome = { kind: "no-auth", reason: proved.problem } as const;
          peer.onExchange?.({ url: peer.url, headers: own, body, proof: {}, outcome, duration_ms: 0 });
          return { proof: {}, outcome };
        }
        const proof = lower(proved.headers);
        const sent_at = performance.now();
        const outcome = await egress.send({
          url: peer.url,
          method: "POST",
          headers: { ...own, ...proof },
          body,
          timeout_ms: left_ms(),
          max_response_bytes: MAX_ANSWER_BYTES,
          isEnough: (answered) => answerHasCome(answered, id),
          ...(peer.signal && { signal: peer.signal }),
        });
        const duration_ms = performance.now() - sent_at;
        peer.onExchange?.({ url: peer.url, headers: own, body, proof, outcome, duration_ms });
        return { proof, outcome };
      };
      let { proof, outcome } = await send();
      const isDenied = outcome.kind === "response" && outcome.status === 401;
      if (isDenied && (await auth.refused(peer.service_id, proof))) ({ proof, outcome } = await send());
      if (outcome.kind === "no-auth") return { kind: "problem", problem: outcome.reason };
      // A timeout is told in the time that the whole call had.
      const told = outcome.kind === "timeout" ? { ...outcome, after_ms: peer.timeout_ms } : outcome;
      return readAnswer(told, id);
    };

    /** Asks how the server speaks: without a handshake first, which older servers refuse, then with one. */
    const connect = async (): Promise<
      { ok: true; connection: McpConnection; server: McpServer } | McpFailure
    > => {
      const stateless = { revision: STATELESS_REVISION, session: null };
      const discovered = await exchange({ method: "server/discover" }, stateless);
      if (discovered.kind === "problem" && !isForeign(discovered))
        return { ok: false, problem: discovered.problem };
      if (isDenial(discovered)) return { ok: false, problem: words(discovered) };
      if (discovered.kind === "result" && supports(discovered.result.supportedVersions))
        return { ok: true, connection: stateless, server: serverOf(STATELESS_REVISION, discovered.result) };

      const greeted = await exchange(initializeMessage, null);
      if (greeted.kind !== "result") return { ok: false, problem: words(greeted) };
      const revision = String(greeted.result.protocolVersion ?? "");
      if (!HANDSHAKE_REVISIONS.includes(revision as (typeof HANDSHAKE_REVISIONS)[number]))
        return {
          ok: false,
          problem: `The MCP server speaks the revision ${JSON.stringify(revision.slice(0, 40))} of the protocol, which is not supported.`,
        };
      const connection = { revision, session: greeted.session };
      await exchange({ method: "notifications/initialized" }, connection, {}, true);
      return { ok: true, connection, server: serverOf(revision, greeted.result) };
    };

    const at = (of: string) =>
      known.get(sha256(`${peer.service_id} ${peer.url} ${of}`), () => ({ connection: null }));
    /** A server without sessions is known to all conversations, one with sessions to each anew. */
    const memory = {
      get: () => at("").connection ?? at(peer.conversation).connection,
      set(connection: McpConnection) {
        at(connection.session === null ? "" : peer.conversation).connection = connection;
      },
      forget() {
        at("").connection = null;
        at(peer.conversation).connection = null;
      },
    };
    return { exchange, connect, memory };
  };

  return {
    async listTools(peer) {
      const { exchange, connect, memory } = open(peer);
      const connected = await connect();
      if (!connected.ok) return connected;
      memory.set(connected.connection);
      const tools: unknown[] = [];
      let cursor: unknown;
      for (let page = 0; page < MAX_PAGES; page++) {
        const params = typeof cursor === "string" ? { cursor } : {};
        const answer = await exchange({ method: "tools/list", params }, connected.connection);
        if (answer.kind !== "result") return { ok: false, problem: words(answer) };
        if (!Array.isArray(answer.result.tools))
          return { ok: false, problem: "The MCP server's answer has no list of tools." };
        tools.push(...answer.result.tools);
        if (tools.length > MAX_TOOLS)
          return { ok: false, problem: `The MCP server lists more than ${MAX_TOOLS} tools.` };
        cursor = answer.result.nextCursor;
        if (typeof cursor !== "string" || cursor === "") return { ok: true, server: connected.server, tools };
      }
      return { ok: false, problem: `The MCP server's list of tools has more than ${MAX_PAGES} pages.` };
    },

    async callTool(peer, { name, arguments: values, schema }) {
      const { exchange, connect, memory } = open(peer);
      const call = { method: "tools/call", params: { name, arguments: values } };
      for (const isLast of [false, true]) {
        const remembered = memory.get();
        const connected = remembered ? null : await connect();
        if (connected && !connected.ok) return connected;
        const connection = remembered ?? (connected?.connection as McpConnection);
        if (connected) memory.set(connection);
        const more = connection.revision === STATELESS_REVISION ? parameterHeaders(schema, values) : {};
        const answer = await exchange(call, connection, more);
        if (answer.kind === "result") return readResult(answer.result);
        // The tool was not called where the server has forgotten the session, or speaks in another way now.
        const isForgotten =
          (answer.kind === "http" || answer.kind === "error") &&
          (answer.status === 404 || answer.status === 400);
        if (isForgotten && remembered && !isLast) {
          memory.forget();
          continue;
        }
        return { ok: false, problem: words(answer) };
      }
      return { ok: false, problem: "The MCP server ended the session twice." };
    },
  };
}

/** What a server that does not know the newest revision may answer instead of refusing it. */
const isForeign = ({ problem }: { problem: string }): boolean => problem.includes("is no message of");

const isDenial = (answer: McpAnswered): boolean =>
  (answer.kind === "http" || answer.kind === "error") && (answer.status === 401 || answer.status === 403);

const supports = (versions: unknown): boolean =>
  Array.isArray(versions) && versions.includes(STATELESS_REVISION);

function readResult(result: Record<string, unknown>): McpCalled {
  const { resultType = "complete" } = result;
  if (resultType === "complete") return { ok: true, result };
  return {
    ok: false,
    problem: `The MCP server answered with ${JSON.stringify(resultType).slice(0, 40)}: it asks for more than a conversation can give it.`,
  };
}

function words(answer: Exclude<McpAnswered, { kind: "result" }> | McpAnswered): string {
  switch (answer.kind) {
    case "problem":
      return answer.problem;
    case "error":
      return isDenial(answer)
        ? `The MCP server answered ${answer.status}: check the credentials of the service.`
        : `The MCP server refused the call: ${answer.message} (${answer.code}).`;
    case "http":
      return isDenial(answer)
        ? `The MCP server answered ${answer.status}: check the credentials of the service.`
        : `The MCP server answered ${answer.status}.`;
    case "result":
      return "The MCP server's answer is no message of the Model Context Protocol.";
  }
}

function serverOf(revision: string, result: Record<string, unknown>): McpServer {
  const meta = result._meta as Record<string, unknown> | undefined;
  const info = (result.serverInfo ?? meta?.["io.modelcontextprotocol/serverInfo"]) as
    | Record<string, unknown>
    | undefined;
  const text = (value: unknown) => (typeof value === "string" ? value.slice(0, 200) : null);
  return { revision, name: text(info?.name), version: text(info?.version) };
}

const lower = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
