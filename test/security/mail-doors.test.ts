import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { type MailReceiver, startMailListener } from "../../src/carriers/smtp/mail-listener.ts";
import { createSmtpConnections, SMTP_LIMITS } from "../../src/carriers/smtp/smtp-connections.ts";
import { afterFile } from "../harness/after-file.ts";
import { createAgent } from "../harness/agent.ts";
import { multipart } from "../harness/form.ts";
import { createMailApp, createMailbox, type MailApp, somebody } from "../harness/mail.ts";
import { createPeer } from "../harness/peer.ts";
import { sendgridCredentials, sendgridOf } from "../harness/sendgrid.ts";

/* Whoever only holds a door open must not keep others out. */

describe("the built-in SMTP server", () => {
  const receiver: MailReceiver = { isKnown: async () => true, receive: async () => {} };
  async function door(limits: Partial<typeof SMTP_LIMITS>) {
    const options = { port: 0, host: "127.0.0.1", log: silentLog, tls: null, limits };
    const { port, close } = await startMailListener(receiver, options);
    afterFile(close);
    return port;
  }
  /** A connection and what it is told, line by line; `ended` when the server hangs up. */
  function caller(port: number, from = "127.0.0.1") {
    const socket: Socket = connect({ port, host: "127.0.0.1", localAddress: from });
    afterFile(() => socket.destroy());
    let said = "";
    socket.setEncoding("utf8").on("error", () => {});
    const line = new Promise<string>((resolve) =>
      socket.on("data", (text: string) => {
        said += text;
        if (said.includes("\r\n")) resolve(said.split("\r\n")[0] ?? "");
      }),
    );
    const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(said)));
    return { socket, line, ended };
  }
  const sends = (port: number, from: string) =>
    new Promise<string>((resolve) => {
      const { socket, ended } = caller(port, from);
      const lines = ["HELO x", "MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "DATA", "Hi\r\n.", "QUIT"];
      socket.on("data", (text: string) => {
        if (/^\d{3} /m.test(text)) {
          const line = lines.shift();
          if (line) socket.write(`${line}\r\n`);
        }
      });
      void ended.then(resolve);
    });

  test("takes a mail while an idler holds every connection that one network may have", async () => {
    const port = await door({ connections_per_network: 20 });
    const idlers = Array.from({ length: 25 }, () => caller(port, "127.0.0.2"));
    const greetings = await Promise.all(idlers.map(({ line }) => line));
    expect(greetings.filter((line) => line.startsWith("220"))).toHaveLength(20);
    expect(greetings.filter((line) => line.startsWith("421 4.7.0 too many connections"))).toHaveLength(5);
    expect(await sends(port, "127.0.0.1")).toMatch(/^250 .*\r\n221 /m);
  });

  test("takes a mail while idlers of many networks hold all connections: the one that waited longest makes room", async () => {
    const port = await door({ connections: 12, connections_per_network: 3 });
    for (let n = 0; n < 12; n++) await caller(port, `127.0.1.${1 + (n % 4)}`).line;
    expect(await sends(port, "127.0.0.1")).toMatch(/^250 .*\r\n221 /m);
  });

  test("hangs up on who talks without end and never writes", async () => {
    const port = await door({ commands_ms: 300 });
    const { socket, line, ended } = caller(port);
    await line;
    const talking = setInterval(() => socket.write("NOOP\r\n"), 50);
    await ended;
    clearInterval(talking);
  });

  test("hangs up on a mail that comes byte by byte", async () => {
    const port = await door({ body_ms: 300 });
    const { socket, ended } = caller(port);
    socket.write(["HELO x", "MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "DATA", ""].join("\r\n"));
    const dripping = setInterval(() => socket.write("x"), 20);
    await ended;
    clearInterval(dripping);
  });

  test("never hangs up on who brings a mail to make room", () => {
    const ended: string[] = [];
    const limits = { ...SMTP_LIMITS, connections: 3, connections_per_network: 2 };
    const connections = createSmtpConnections(limits, (id) => ended.push(id));
    for (const [id, address] of Object.entries({ a: "192.0.2.1", b: "192.0.2.1", c: "192.0.2.2" })) {
      expect(connections.open(id, address)).toBeNull();
    }
    expect(connections.open("d", "192.0.2.1")).toBe("too many connections from your network");
    connections.enter("a", "body");
    connections.enter("b", "storing");
    expect(connections.open("e", "2001:db8::1")).toBeNull();
    expect(ended).toEqual(["c"]);
    expect(connections.open("f", "2001:db8::2")).toBeNull();
    expect(ended).toEqual(["c", "e"]);
    for (const id of ["a", "b", "f"]) connections.close(id);
  });
});

describe("a mail service's webhook", () => {
  let app: MailApp;
  let url: URL;
  let side: ReturnType<typeof sendgridOf>;
  let path: string;
  beforeAll(async () => {
    app = await createMailApp(null);
    const address = app.api.server.server.address();
    url = new URL(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`);
    const sendgrid = await createPeer();
    sendgrid.respond((_, response) => response.writeHead(202, { "x-message-id": "sg-1" }).end());
    const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Hi."' });
    const box = await createMailbox(app, agent_id, sendgridCredentials(sendgrid.url));
    side = sendgridOf(app, box);
    path = `/carriers/sendgrid/${box.channel_id}/inbound`;
  });

  /** A post of 60 MB of which only this much comes. */
  const stalled = (bytes: number, headers: Record<string, string>, at = path) => {
    const upload = request({
      host: url.hostname,
      port: url.port,
      method: "POST",
      path: at,
      headers: {
        "content-type": "multipart/form-data; boundary=b",
        "content-length": 60 * 1024 * 1024,
        ...headers,
      },
    });
    afterFile(() => upload.destroy());
    const answer = new Promise<number>((resolve) => {
      upload.once("response", ({ statusCode }) => resolve(statusCode ?? 0));
      upload.once("error", () => resolve(0));
    });
    upload.write(Buffer.alloc(bytes, 0x78));
    return answer;
  };

  test("answers an unsigned upload, or one of a channel that isn't there, without waiting for its bytes", async () => {
    expect(await stalled(10, {})).toBe(403);
    const signature = "x-twilio-email-event-webhook-signature";
    const timestamp = "x-twilio-email-event-webhook-timestamp";
    expect(await stalled(10, { [signature]: "AAAA", [timestamp]: "1" })).toBe(403);
    expect(await stalled(10, {}, "/carriers/sendgrid/999999/inbound")).toBe(404);
  });

  test("takes a mail while stalled uploads of another network hold all that it may hold", async () => {
    const forged = {
      "x-twilio-email-event-webhook-signature": "AAAA",
      "x-twilio-email-event-webhook-timestamp": String(app.clock.now().getTime() / 1000),
    };
    const uploads = Array.from({ length: 4 }, () => stalled(55 * 1024 * 1024, forged));
    // The second and later ones are over what one network may hold: they are cut off, and not waited for.
    await Promise.race(uploads);
    const ann = somebody();
    const { body, headers } = multipart({ email: side.raw(ann), envelope: side.envelope(ann) });
    const answer = await app.api.server.inject({
      method: "POST",
      url: path,
      payload: body,
      remoteAddress: "192.0.2.7",
      headers: { ...headers, ...side.signed(body) },
    });
    expect(answer.json()).toEqual({ taken: "new" });
  });
});
