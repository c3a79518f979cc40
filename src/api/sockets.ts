import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { Fault } from "../base/errors.ts";
import { limitedBy } from "./client-address.ts";

/** How many WebSockets one side may hold open, and how often each has to show that somebody is there. */
export type SocketLimits = {
  /** From one IPv4 address or IPv6 /64: an office, or a carrier's machine with as many calls. */
  per_address: number;
  /**
   * On one path with one token: the tabs of one chat, or the lines of one call. Not on a path that everybody shares and
   * that names its call in its first message (`shared_path` of the route).
   */
  per_path: number;
  /** One that answers no ping until the next is closed. */
  ping_ms: number;
};

export const SOCKET_LIMITS: SocketLimits = { per_address: 1_000, per_path: 10, ping_ms: 30_000 };

/** Java's client and `curl --http2` offer HTTP/2 with each request: such an offer is passed over, and the request answered. */
export const wantsSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === "websocket";

/** A socket counts from before its upgrade until its connection is closed, whatever becomes of it in between. */
export function guardSockets(server: FastifyInstance, limits: SocketLimits): void {
  const open = new Map<string, number>();
  const leave = (key: string) => {
    const left = (open.get(key) ?? 1) - 1;
    if (left === 0) open.delete(key);
    else open.set(key, left);
  };
  const isFull = (key: string, most: number) => (open.get(key) ?? 0) >= most;

  // After the hook of the WebSocket plugin, which tells what is one.
  server.addHook("onRequest", async (request) => {
    if (!(request as FastifyRequest & { ws?: boolean }).ws) return;
    const address = `from ${limitedBy(request).group}`;
    // With the token, so that a stranger who has none takes no place of the visitor's.
    const { token } = request.query as { token?: unknown };
    const path = `on ${request.url.split("?")[0]} ${token}`;
    if (isFull(address, limits.per_address)) throw tooManySockets();
    const { shared_path } = request.routeOptions.config as { shared_path?: boolean };
    if (!shared_path && isFull(path, limits.per_path)) throw tooManySockets();
    const keys = shared_path ? [address] : [address, path];
    for (const key of keys) open.set(key, (open.get(key) ?? 0) + 1);
    request.raw.socket.once("close", () => {
      for (const key of keys) leave(key);
    });
  });

  const answered = new WeakSet<WebSocket>();
  server.websocketServer.on("connection", (socket: WebSocket) => {
    answered.add(socket);
    socket.on("pong", () => answered.add(socket));
  });
  const timer = setInterval(() => {
    for (const socket of server.websocketServer.clients) {
      // A stop has paused it: what it answers can't be heard.
      if (socket.isPaused) continue;
      if (!answered.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, limits.ping_ms);
  timer.unref();
  server.addHook("onClose", async () => clearInterval(timer));
}

/**
 * An unreadable frame is the sender's fault. The library closes the socket with 1007 or 1009, a code that would be lost if we
 * cut the connection here, and the socket's own handler logs it. Any other error is ours.
 */
export function socketFailed(error: Error, socket: WebSocket, { log }: FastifyRequest): void {
  if ("code" in error && String(error.code).startsWith("WS_ERR_")) return;
  log.error({ err: error }, "a socket failed");
  socket.terminate();
}

const tooManySockets = (): Fault =>
  new Fault(
    "too-many",
    "Too many connections are open from this address or for this conversation. Close some.",
    {
      retry_after_s: 30,
    },
  );
