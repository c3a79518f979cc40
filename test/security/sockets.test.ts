import { once } from "node:events";
import { connect } from "node:net";
import websocket from "@fastify/websocket";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { errorSender } from "../../src/api/errors.ts";
import { guardSockets, type SocketLimits } from "../../src/api/sockets.ts";
import { silentLog } from "../../src/base/log.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp } from "../harness/app.ts";

const ENOUGH: SocketLimits = { per_address: 100, per_path: 100, ping_ms: 600_000 };

/** A server that keeps every socket open. */
async function openServer(limits: Partial<SocketLimits>): Promise<string> {
  const server = Fastify();
  server.setErrorHandler(errorSender(silentLog));
  await server.register(websocket);
  guardSockets(server, { ...ENOUGH, ...limits });
  await server.register(async (inner) => {
    inner.get("/:chat", { websocket: true }, () => {});
  });
  onTestFinished(() => {
    server.server.closeAllConnections();
    return server.close();
  });
  return (await server.listen({ host: "127.0.0.1", port: 0 })).replace("http", "ws");
}

/** 101, or the status that the upgrade was refused with. */
async function open(url: string): Promise<{ status: number; socket: WebSocket }> {
  const socket = new WebSocket(url);
  socket.on("error", () => {});
  const status = await new Promise<number>((resolve) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
  });
  onTestFinished(() => socket.terminate());
  return { status, socket };
}

const statuses = async (urls: string[]) => {
  const found: number[] = [];
  for (const url of urls) found.push((await open(url)).status);
  return found;
};

test("an address holds so many sockets and no more, and one that is closed makes room", async () => {
  const url = await openServer({ per_address: 2 });
  const first = await open(`${url}/a`);
  expect(await statuses([`${url}/b`, `${url}/c`])).toEqual([101, 429]);
  first.socket.close();
  await expect.poll(async () => (await open(`${url}/d`)).status).toBe(101);
});

test("a conversation holds so many sockets and no more, whatever stands behind its path", async () => {
  const url = await openServer({ per_path: 2 });
  expect(await statuses([1, 2, 3].map((n) => `${url}/a?n=${n}`))).toEqual([101, 101, 429]);
  expect((await open(`${url}/b`)).status).toBe(101);
});

test("a socket whose other end is gone without a word is closed, and one that answers pings stays", async () => {
  const url = new URL(await openServer({ ping_ms: 100 }));
  const living = await open(`${url}living`);
  // A program that opened a socket and never looks at it again.
  const dead = connect(Number(url.port), url.hostname);
  onTestFinished(() => void dead.destroy());
  dead.write(
    "GET /dead HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  dead.resume();
  await once(dead, "close");
  expect(living.socket.readyState).toBe(WebSocket.OPEN);
});

test("a chat's page that holds eleven sockets is refused the last, and a frame that is too large closes its own, which hears why", async () => {
  const app = await createTestApp();
  const url = await app.listen();
  const { target } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
  const { body } = await app.send("POST", "/chat/v1/sessions", { client_id: target });
  const path = `${url.replace("http", "ws")}/chat/v1/sessions/${body.session_id}/socket?token=${body.token}`;
  const opened = [];
  for (let n = 0; n < 11; n++) opened.push(await open(path));
  expect(opened.map(({ status }) => status)).toEqual([...Array(10).fill(101), 429]);
  const codes: number[] = [];
  for (const [nth, { socket }] of opened.slice(0, 4).entries()) {
    // Much of a large one is still on its way when the first of it is refused.
    socket.send("x".repeat(nth === 0 ? 64 * 1024 + 1 : 5_000_000));
    codes.push((await once(socket, "close"))[0]);
  }
  expect(codes).toEqual(Array(4).fill(1009));
  // What a visitor sends is no error of ours.
  expect(app.errors).toEqual([]);
});
