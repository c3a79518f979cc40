import { once } from "node:events";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { answerBrokenRequest } from "./broken-requests.ts";
import { createServer } from "./server.ts";

async function listen() {
  const { server } = await createServer({
    log: silentLog,
    version: "1",
    trustProxy: 0,
    apiKeyHeaders: [],
    publicUrl: "http://127.0.0.1:8080",
    authenticate: async () => null,
    audit: async () => {},
    ownTokenCalls: async () => null,
  });
  const stopping = Promise.withResolvers<void>();
  server.addHook("preClose", async () => stopping.resolve());
  await server.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  return { server, port: (server.server.address() as AddressInfo).port, stopping: stopping.promise };
}

/** What comes back for these bytes until the connection is closed, an answer an entry. */
async function exchange(port: number, bytes: string | Buffer) {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(bytes);
  const closed = once(socket, "close");
  const answer = async () => {
    await closed;
    const [head = "", body = ""] = (text.split(/(?=HTTP\/1\.1 \d{3} )/).at(-1) ?? "").split("\r\n\r\n");
    return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body };
  };
  return { socket, answer };
}

test.each([
  [
    "headers that are too large",
    `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${"a".repeat(20_000)}\r\n\r\n`,
    431,
    "16 KB",
  ],
  ["a first line that is none", "HELLO\r\n\r\n", 400, "HTTP/1.1"],
  ["a handshake of TLS", Buffer.from([22, 3, 1, 0, 100, 1, 0, 0, 96, 3, 3]), 400, "HTTP/1.1"],
  [
    "two lengths",
    "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx",
    400,
    "headers",
  ],
] as const)("%s: the answer has the shape of every other error", async (_what, bytes, status, said) => {
  const { port } = await listen();
  const { answer } = await exchange(port, bytes);
  const { head, body, ...answered } = await answer();
  expect(answered.status).toBe(status);
  expect(head).toContain("content-type: application/json");
  expect(JSON.parse(body)).toEqual({ detail: expect.stringContaining(said) });
});

test("a request that offers HTTP/2, as Java's client and curl --http2 send each one, is answered without it", async () => {
  const { port } = await listen();
  const offer = "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAA";
  const { answer, socket } = await exchange(
    port,
    `GET /openapi.json HTTP/1.1\r\nhost: x\r\n${offer}\r\n\r\n`,
  );
  await once(socket, "data");
  socket.destroy();
  expect(await answer()).toMatchObject({ status: 200 });
});

test("a request that does not arrive whole in time is answered 408, with what to do", async () => {
  const late = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  const server = createTcpServer((socket) => answerBrokenRequest(late, socket, silentLog));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { answer } = await exchange((server.address() as AddressInfo).port, "GET / HTTP/1.1\r\n");
  expect(await answer()).toMatchObject({ status: 408, body: expect.stringContaining("Send it again.") });
});

test("a request that arrives while the server stops is answered 503 in that shape, with when to try again", async () => {
  const { server, port, stopping } = await listen();
  // The second has begun when the first is answered, so its connection is not closed as an idle one.
  const { answer, socket } = await exchange(port, "GET /a HTTP/1.1\r\nhost: x\r\n\r\nGET /b HTTP/1.1\r\n");
  await once(socket, "data");
  const closed = server.close();
  await stopping;
  socket.write("host: x\r\n\r\n");
  const { status, head, body } = await answer();
  expect(status).toBe(503);
  expect(head).toContain("retry-after: 1");
  expect(JSON.parse(body)).toEqual({ detail: "This server is stopping. Send it again." });
  await closed;
});
