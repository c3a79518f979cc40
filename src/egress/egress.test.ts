import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { door, httpPeer, tcpPeer } from "./egress-stub.ts";

const refusal = (words: string) => ({ kind: "refused", reason: expect.stringContaining(words) });

describe("a call", () => {
  test("arrives as it was made and comes back with status, headers and body", async () => {
    const { port } = await httpPeer((req, res) => {
      const { method, url, headers } = req;
      res.writeHead(422, { "x-a": "1", "set-cookie": ["a=1", "b=2"] });
      req.setEncoding("utf8").on("data", (body) => res.end(JSON.stringify({ method, url, headers, body })));
    });
    const outcome = await door()(`http://127.0.0.1:${port}/path?q=ü`, {
      method: "POST",
      headers: { "X-Trace": "t", "User-Agent": "Clinic/1" },
      body: "{}",
    });
    if (outcome.kind !== "response") throw new Error(JSON.stringify(outcome));
    expect(outcome).toMatchObject({
      status: 422,
      truncated: false,
      headers: { "x-a": "1", "set-cookie": "a=1, b=2" },
    });
    expect(JSON.parse(outcome.body.toString())).toMatchObject({
      method: "POST",
      url: "/path?q=%C3%BC",
      body: "{}",
      headers: {
        host: `127.0.0.1:${port}`,
        "x-trace": "t",
        "user-agent": "Clinic/1",
        "content-length": "2",
      },
    });
  });

  test("says in UTF-8 what a header has beyond Latin-1, and Latin-1 as it is", async () => {
    const { port } = await httpPeer((req, res) => res.end(JSON.stringify(req.headers)));
    const outcome = await door()(`http://127.0.0.1:${port}/`, {
      headers: { "X-Name": "मीरा 😀", "X-City": "Köln" },
    });
    if (outcome.kind !== "response") throw new Error(JSON.stringify(outcome));
    const { "x-name": name, "x-city": city } = JSON.parse(outcome.body.toString());
    expect([Buffer.from(name, "latin1").toString(), city]).toEqual(["मीरा 😀", "Köln"]);
  });

  test("reuses the connection of the call before", async () => {
    const server = await httpPeer((_req, res) => res.end("ok"));
    const send = door();
    for (let i = 0; i < 3; i++) {
      expect((await send(`http://127.0.0.1:${server.port}/`)).kind).toBe("response");
      // A connection is free a tick after its answer is complete.
      await new Promise(setImmediate);
    }
    expect(server.sockets.size).toBe(1);
  });

  test("opens a new connection when the server has closed the idle one", async () => {
    const server = await httpPeer((_req, res) => res.end("ok"));
    const send = door();
    expect((await send(`http://127.0.0.1:${server.port}/`)).kind).toBe("response");
    for (const socket of server.sockets) {
      // Its other end has heard it once it has closed too.
      const closed = once(socket, "close");
      socket.end();
      await closed;
    }
    expect((await send(`http://127.0.0.1:${server.port}/`, { method: "POST" })).kind).toBe("response");
    expect(server.sockets.size).toBe(2);
  });

  test("tries the next address of a name when the first does not answer", async () => {
    const server = await httpPeer((_req, res) => res.end("ok"));
    const send = door({ allow: "127.0.0.0/8", resolve: async () => ["127.0.0.3", "127.0.0.1"] });
    expect((await send(`http://tools.example:${server.port}/`)).kind).toBe("response");
  });

  test("over TLS greets the pinned address with the URL's name, in TLS 1.2 or newer", async () => {
    const { promise: hello, resolve: heard } = Promise.withResolvers<Buffer>();
    const server = await tcpPeer((socket) =>
      socket.once("data", (bytes: Buffer) => heard(bytes) ?? socket.destroy()),
    );
    const send = door({ resolve: async () => ["127.0.0.1"] });
    const outcome = await send(`https://tools.example:${server.port}/`);
    expect(outcome).toMatchObject({ kind: "failed" });
    const greeting = (await hello).toString("latin1");
    expect(greeting).toContain("tools.example");
    // supported_versions (0x002b) names TLS 1.3 and 1.2 and nothing older.
    expect(greeting).toContain("\x00\x2b\x00\x05\x04\x03\x04\x03\x03");
  });
});

describe("a private address", () => {
  test("is refused by default, and nothing connects", async () => {
    const server = await httpPeer((_req, res) => res.end("secret"));
    const send = door({ allow: "", resolve: async () => ["127.0.0.1"] });
    expect(await send(`http://2130706433:${server.port}/`)).toEqual({
      kind: "refused",
      reason: "address 127.0.0.1 is loopback; allow it with EGRESS_ALLOW",
    });
    expect(await send(`http://tools.example:${server.port}/`)).toEqual({
      kind: "refused",
      reason: "an address of tools.example is loopback; allow it with EGRESS_ALLOW",
    });
    expect(server.sockets.size).toBe(0);
  });

  test("is refused for the system's own names too", async () => {
    const server = await httpPeer((_req, res) => res.end("secret"));
    for (const host of ["localhost", "localhost.", "LOCALHOST"]) {
      expect(await door({ allow: "" })(`http://${host}:${server.port}/`)).toEqual(
        refusal("of localhost is loopback"),
      );
    }
    expect(server.sockets.size).toBe(0);
  });

  test("among public ones refuses the whole name", async () => {
    const send = door({ allow: "", resolve: async () => ["8.8.8.8", "10.0.0.1"] });
    expect(await send("http://tools.example/")).toEqual(refusal("an address of tools.example is private"));
  });

  test("is never connected to by a name that changes its answer between check and connection", async () => {
    const allowed = await httpPeer((_req, res) => res.end("ok"));
    const elsewhere = createServer((_req, res) => res.end("secret"));
    // Only some systems have more of 127/8 than one address; elsewhere nothing could answer there at all.
    elsewhere.on("error", () => {});
    let connections = 0;
    elsewhere.on("connection", () => connections++).listen(allowed.port, "127.0.0.2");
    onTestFinished(() => void elsewhere.close());

    let asked = 0;
    const send = door({ resolve: async () => (asked++ % 2 === 0 ? ["127.0.0.1"] : ["127.0.0.2"]) });
    for (let i = 0; i < 10; i++) {
      const outcome = await send(`http://rebinding.example:${allowed.port}/`);
      if (i % 2 === 0) expect(outcome).toMatchObject({ kind: "response", body: Buffer.from("ok") });
      else expect(outcome).toEqual(refusal("an address of rebinding.example is loopback"));
    }
    expect(asked).toBe(10);
    expect(connections).toBe(0);
  });

  test("is not followed to by a redirect: its target is reported, unvisited", async () => {
    const secret = await httpPeer((_req, res) => res.end("secret"));
    const { port } = await httpPeer((req, res) => {
      const location = { "/private": `http://127.0.0.1:${secret.port}/`, "/relative": "../b" }[req.url ?? ""];
      res.writeHead(req.url === "/none" ? 304 : 302, location ? { location } : {}).end();
    });
    const send = door();
    expect(await send(`http://127.0.0.1:${port}/private`)).toMatchObject({
      kind: "redirect",
      status: 302,
      location: `http://127.0.0.1:${secret.port}/`,
    });
    expect(await send(`http://127.0.0.1:${port}/relative`)).toMatchObject({
      location: `http://127.0.0.1:${port}/b`,
    });
    expect(await send(`http://127.0.0.1:${port}/none`)).toMatchObject({
      kind: "redirect",
      status: 304,
      location: null,
    });
    expect(secret.sockets.size).toBe(0);
  });
});

describe("httpsOnly", () => {
  const resolve = async () => ["8.8.8.8"];
  test("refuses plain http to a public host", async () => {
    const outcome = await door({ resolve })("http://hooks.example/", { httpsOnly: true });
    expect(outcome).toEqual(refusal("hooks.example must be called over https"));
  });

  test("leaves plain http to what EGRESS_ALLOW or a route names", async () => {
    const { port } = await httpPeer((_req, res) => res.end("ok"));
    const routes = [
      { host: "demo.parley.internal", connect: { host: "127.0.0.1", port }, pathPrefix: "/demo" },
    ];
    const send = door({ routes });
    for (const url of [`http://127.0.0.1:${port}/`, "http://demo.parley.internal/demo/hook"]) {
      expect(await send(url, { httpsOnly: true })).toMatchObject({ kind: "response" });
    }
  });
});

describe("a route", () => {
  test("reaches its server without any permission, under its prefix and no other way", async () => {
    const seen: string[] = [];
    const { port } = await httpPeer((req, res) => res.end(`${seen.push(`${req.headers.host}${req.url}`)}`));
    let asked = 0;
    const send = door({
      allow: "",
      routes: [{ host: "demo.parley.internal", connect: { host: "127.0.0.1", port }, pathPrefix: "/demo/" }],
      resolve: async () => [`127.0.0.${++asked}`],
    });
    expect(await send("http://demo.parley.internal/demo/orders?id=1")).toMatchObject({
      kind: "response",
      status: 200,
    });
    expect(await send("http://demo.parley.internal/demo/../api")).toEqual(
      refusal("only /demo/ can be reached"),
    );
    expect(await send("http://other.parley.internal/demo/")).toEqual(refusal("leads nowhere"));
    expect(await send(`http://127.0.0.1:${port}/demo/`)).toEqual(refusal("loopback"));
    expect(seen).toEqual(["demo.parley.internal/demo/orders?id=1"]);
    expect(asked).toBe(0);
  });
});

describe("a request that is not plain HTTP is refused unsent:", () => {
  test.each([
    ["a line break in a value", { "x-a": "1\r\nx-evil: secret" }, '"x-a"'],
    ["a line break in a name", { "x-a\r\nx-evil": "1" }, '"x-a\\r\\nx-evil"'],
    ["a character that controls", { "x-a": "secret \u0007" }, '"x-a"'],
    ["another host", { Host: "admin.internal" }, "host is set by the connection"],
    ["another length", { "Content-Length": "0" }, "content-length is set by the connection"],
    ["another framing", { "transfer-encoding": "chunked" }, "transfer-encoding is set by the connection"],
  ])("%s", async (_what, headers, words) => {
    const server = await httpPeer((_req, res) => res.end());
    const outcome = await door()(`http://127.0.0.1:${server.port}/`, { headers });
    expect(outcome).toEqual(refusal(words));
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(server.sockets.size).toBe(0);
  });
});
