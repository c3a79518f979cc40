import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { door, httpPeer, tcpPeer } from "./egress-stub.ts";

describe("a peer that misbehaves", () => {
  test.each<[string, (socket: Socket) => void]>([
    ["never answers", () => {}],
    ["stops in its headers", (socket) => socket.write("HTTP/1.1 200 OK\r\nx-a: ")],
    ["trickles its headers", (socket) => trickle(socket, "HTTP/1.1 200 OK\r\n", "x: y\r\n")],
    ["trickles its body", (socket) => trickle(socket, "HTTP/1.1 200 OK\r\n\r\n", ".")],
    ["redirects in a trickle", (socket) => trickle(socket, "HTTP/1.1 302 Found\r\n", "x: y\r\n")],
  ])("and %s is left at the timeout, socket and all", async (_what, misbehave) => {
    const { promise: gone, resolve: hungUp } = Promise.withResolvers<void>();
    const server = await tcpPeer((socket) => {
      socket.once("close", () => hungUp());
      socket.once("data", () => misbehave(socket));
    });
    const outcome = await door()(`http://127.0.0.1:${server.port}/`, { timeout_ms: 150 });
    expect(outcome).toEqual({ kind: "timeout", after_ms: 150 });
    await gone;
  });

  test("and sends ten megabytes is heard up to the cap, then cut off", async () => {
    const { promise: gone, resolve: hungUp } = Promise.withResolvers<boolean>();
    const server = await httpPeer((_req, res) => {
      res.once("close", () => hungUp(res.writableFinished));
      res.end(Buffer.alloc(10_000_000, "x"));
    });
    const outcome = await door()(`http://127.0.0.1:${server.port}/`);
    expect(outcome).toMatchObject({ kind: "response", status: 200, truncated: true });
    expect(outcome.kind === "response" && outcome.body.equals(Buffer.alloc(65_536, "x"))).toBe(true);
    expect(await gone).toBe(false);
  });

  test("and sends a gzip bomb is heard up to the cap as decoded", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const server = await httpPeer((_req, res) =>
      res.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const outcome = await door()(`http://127.0.0.1:${server.port}/`);
    expect(outcome).toMatchObject({ kind: "response", truncated: true });
    expect(outcome.kind === "response" && outcome.body.equals(Buffer.alloc(65_536))).toBe(true);
  });

  test.each<[string, string, boolean, (socket: Socket) => void]>([
    ["resets the connection", "closed the connection", true, (socket) => socket.resetAndDestroy()],
    ["hangs up unanswered", "closed the connection", true, (socket) => socket.end()],
    [
      "hangs up in its body",
      "closed the connection",
      true,
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"),
    ],
    ["speaks something else", "in valid HTTP", false, (socket) => socket.end("220 mail.example ESMTP\r\n")],
    [
      "boasts in its headers",
      "16 KiB",
      false,
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n`),
    ],
    [
      "mislabels its body",
      "content-encoding",
      false,
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nplain"),
    ],
  ])("and %s is a failure in words: %s", async (_what, words, connection_reset, misbehave) => {
    const server = await tcpPeer((socket) => socket.once("data", () => misbehave(socket)));
    const outcome = await door()(`http://127.0.0.1:${server.port}/`);
    const reason = expect.stringContaining(words);
    // It had been sent by then, whatever came of it.
    expect(outcome).toEqual({ kind: "failed", reason, connection_reset, nothing_sent: false });
    expect(outcome.kind === "failed" && outcome.reason).toContain("127.0.0.1");
  });

  test("and is not there at all is a failure in words", async () => {
    const server = await httpPeer(() => {});
    server.stop();
    expect(await door()(`http://127.0.0.1:${server.port}/`)).toEqual({
      kind: "failed",
      reason: "127.0.0.1 refused the connection",
      connection_reset: false,
      nothing_sent: true,
    });
  });
});

/** Begins, then goes on for ever, a little every 10 ms. */
function trickle(socket: Socket, beginning: string, piece: string): void {
  socket.write(beginning);
  const timer = setInterval(() => socket.write(piece), 10);
  socket.once("close", () => clearInterval(timer));
}

describe("a name", () => {
  test("that does not exist is a failure in words", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
    expect(await door({ resolve })("http://nowhere.example/")).toMatchObject({
      kind: "failed",
      reason: "the name nowhere.example could not be resolved (ENOTFOUND)",
      nothing_sent: true,
    });
  });

  test("that is answered after the timeout is not called any more", async () => {
    const server = await httpPeer((_req, res) => res.end());
    const { promise: answer, resolve: arrive } = Promise.withResolvers<string[]>();
    const outcome = await door({ resolve: () => answer })(`http://slow.example:${server.port}/`, {
      timeout_ms: 30,
    });
    expect(outcome).toEqual({ kind: "timeout", after_ms: 30 });
    arrive(["127.0.0.1"]);
    // A call that began now would come before the next one.
    await door()(`http://127.0.0.1:${server.port}/`);
    expect(server.sockets.size).toBe(1);
  });
});

describe("a call under way", () => {
  test("ends when its caller gives up, before or while it waits", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const server = await httpPeer(() => ask());
    const caller = new AbortController();
    const pending = door()(`http://127.0.0.1:${server.port}/`, { signal: caller.signal });
    await asked;
    caller.abort();
    expect(await pending).toMatchObject({ kind: "failed", reason: "the caller gave up" });
    const late = await door()(`http://127.0.0.1:${server.port}/`, { signal: caller.signal });
    expect(late).toMatchObject({ kind: "failed", reason: "the caller gave up" });
  });

  test("ends when the door closes, and none starts afterwards", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const server = await httpPeer(() => ask());
    const send = door();
    const pending = send(`http://127.0.0.1:${server.port}/`);
    await asked;
    send.close();
    const closed = { kind: "failed", reason: "the platform is shutting down" };
    expect(await pending).toMatchObject({ ...closed, nothing_sent: false });
    const late = await send(`http://127.0.0.1:${server.port}/`);
    expect(late).toMatchObject({ ...closed, nothing_sent: true });
  });
});
