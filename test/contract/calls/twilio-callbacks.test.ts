import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { WebSocket } from "undici";
import { beforeAll, describe, expect, test } from "vitest";
import incomingCall from "../../fixtures/twilio/incoming-call.json" with { type: "json" };
import messages from "../../fixtures/twilio/incoming-message.json" with { type: "json" };
import messageStatus from "../../fixtures/twilio/message-status.json" with { type: "json" };
import { createAgent } from "../../harness/agent.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import {
  createNumber,
  createSimulatedApp,
  eventually,
  type SimulatedApp,
  textsWith,
} from "../../harness/simulated.ts";

const PUBLIC_URL = "https://parley.example.com";

let app: SimulatedApp;
let url: string;
let line: Awaited<ReturnType<typeof createNumber>>;
beforeAll(async () => {
  // Behind a proxy: the carrier signs the public address, and what comes in carries another Host.
  app = await createSimulatedApp({ env: { PUBLIC_URL } });
  const { port } = app.api.server.server.address() as { port: number };
  url = `http://127.0.0.1:${port}`;
  const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "Noted."' });
  line = await createNumber(app, agent_id);
});

/** The log's lines with these words. */
const logged = (words: string) =>
  app.logged.filter((line) => line.includes(words)).map((line) => JSON.parse(line));
const UNKNOWN = /is of no (call|text)|a call is turned away|was not taken anew/;

type Form = Record<string, string>;
const path = (suffix: string, channel_id: number = line.channel_id) =>
  `/carriers/twilio/${channel_id}${suffix}`;
const post = async (suffix: string, form: Form, headers: Record<string, string>, channel_id?: number) => {
  const response = await fetch(url + path(suffix, channel_id), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });
  return { status: response.status, body: await response.text() };
};
const sign = (suffix: string, form: Form, token = line.auth_token) =>
  getExpectedTwilioSignature(token, PUBLIC_URL + path(suffix), form);
const send = (suffix: string, form: Form) => post(suffix, form, { "x-twilio-signature": sign(suffix, form) });

const text = (from: string, MessageSid: string, more: Form = {}) => ({
  ...messages.whatsapp,
  From: from,
  To: line.number,
  MessageSid,
  NumMedia: "0",
  Body: "Hello",
  ...more,
});
/** The key of a campaign's try from this number that its carrier has taken and told nothing of yet. */
async function tryOf(number: string, mode: string): Promise<string> {
  const make = async (path: string, body: unknown) => {
    const answer = await app.send("POST", path, body as object);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const campaign = await make("/api/v1/outbound/campaigns", {
    campaign_name: `Tries by ${mode}`,
    campaign_variables: {},
    source: number,
    caller_id: number,
    mode,
    active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    hourly_rate: 3600,
  });
  const batch_id = `tries-by-${mode}`;
  await make("/api/v1/outbound/batches", { batch_id, campaign_id: campaign.id });
  await make(`/api/v1/outbound/batches/${batch_id}/requests`, [
    { reference_id: "a", target: "+15127771234", request_variables: {} },
  ]);
  const dialer = createTestDialer(app, () => ({}));
  await eventually(
    async () => {
      app.clock.advance(1000);
      await dialer.tick();
    },
    () => dialer.world.taken.size > 0,
  );
  return [...dialer.world.taken.keys()][0] as string;
}

const CALLBACKS: [string, Form][] = [
  ["/voice", { CallSid: "CA1", From: "+15125550100", To: "+1" }],
  ["/voice/status", { CallSid: "CA1", CallStatus: "completed" }],
  ["/calls/k/answer", { CallSid: "CA1", From: "+1", To: "+1" }],
  ["/calls/k/status", { CallSid: "CA1", CallStatus: "completed" }],
  ["/calls/k/answerer", { CallSid: "CA1", AnsweredBy: "human" }],
  ["/calls/k/relay-ended", { CallSid: "CA1", HandoffData: '{"action":"hangup"}' }],
  ["/calls/k/stream-ended", { CallSid: "CA1", CallStatus: "in-progress" }],
  ["/calls/k/transfer", { CallSid: "CA1", DialCallStatus: "busy" }],
  ["/calls/k/transfer-answerer", { CallSid: "CA1", AnsweredBy: "human" }],
  [
    "/calls/k/recording",
    { CallSid: "CA1", RecordingStatus: "completed", RecordingUrl: "https://x.example/RE1" },
  ],
  ["/messages", { MessageSid: "SM1", From: "+15125550100", To: "+1" }],
  ["/messages/k/status", { MessageSid: "SM1", MessageStatus: "sent" }],
];

describe("who is believed", () => {
  test.each(CALLBACKS)("%s is refused unless the channel's account signed it", async (suffix, form) => {
    const refused = [
      await post(suffix, form, {}),
      await post(suffix, form, { "x-twilio-signature": "" }),
      await post(suffix, form, { "x-twilio-signature": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" }),
      await post(suffix, form, { "x-twilio-signature": sign(suffix, form, "another account's token") }),
      await post(suffix, { ...form, To: "+19995550000" }, { "x-twilio-signature": sign(suffix, form) }),
      await post(suffix, form, {
        "x-twilio-signature": getExpectedTwilioSignature(line.auth_token, url + path(suffix), form),
      }),
      await post(suffix, form, { "x-twilio-signature": sign(suffix, form) }, line.channel_id + 1000),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(refused[0]?.body).toContain("not signed by the channel's carrier account");
    const lines = logged("an unsigned callback was refused").filter((line) => line.url === path(suffix));
    expect(lines.map(({ why }) => why)).toEqual([
      "no signature",
      ...["wrong signature", "wrong signature", "wrong signature", "wrong signature", "wrong signature"],
    ]);
  });

  test.each(CALLBACKS)(
    "%s of something unknown is acknowledged once it is signed, and said in the log",
    async (suffix, form) => {
      const before = app.logged.length;
      const { status } = await send(suffix, form);
      expect([200, 204]).toContain(status);
      // What follows a socket of ours is told by the callback itself.
      if (suffix === "/calls/k/relay-ended") return;
      await eventually(
        async () => app.logged.slice(before).join(""),
        (lines) => UNKNOWN.test(lines),
      );
      expect(app.errors).toEqual([]);
    },
  );

  test("who picked up is kept of no call but one that the channel has transferred", async () => {
    const suffix = "/calls/made-up/transfer-answerer";
    expect((await send(suffix, { CallSid: "CAmade-up", AnsweredBy: "human" })).status).toBe(204);
    expect(await app.db.selectFrom("transfer_answerers").selectAll().execute()).toEqual([]);
  });

  test.each([
    ["voice", "/calls/KEY/status", { CallSid: "CAforeign", CallStatus: "busy" }],
    ["sms", "/messages/KEY/status", { MessageSid: "SMforeign", MessageStatus: "delivered" }],
  ])(
    "what a channel's account signs about the %s try of another is not believed",
    async (mode, suffix, form) => {
      const { agent_id } = await createAgent(app, { script: 'on /.*/ -> say "Noted."' });
      const other = await createNumber(app, agent_id, { modes: [mode] });
      const key = await tryOf(other.number, mode);
      const statuses = () =>
        app.db.selectFrom("attempts").select(["channel_status", "sid"]).where("key", "=", key).execute();
      const before = await statuses();
      const about = suffix.replace("KEY", key);
      expect((await send(about, form)).status).toBe(204);
      expect(await statuses()).toEqual(before);
      if (mode === "voice") {
        const answer = await send(`/calls/${key}/answer`, { CallSid: "CAforeign", From: "+1", To: "+1" });
        expect(answer.body).toContain("<Hangup");
        const signature = getExpectedTwilioSignature(
          other.auth_token,
          PUBLIC_URL + path(about, other.channel_id),
          form,
        );
        await post(about, form, { "x-twilio-signature": signature }, other.channel_id);
        expect(await statuses()).toEqual([{ channel_status: "BUSY", sid: before[0]?.sid }]);
      }
    },
  );

  test("a socket that nobody signed is never opened", async () => {
    const relay = (headers: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`${url.replace("http", "ws")}${path("/calls/k/relay")}`, { headers });
        socket.addEventListener("open", () => resolve("open"));
        socket.addEventListener("error", () => resolve("refused"));
      });
    expect(await relay({})).toBe("refused");
    expect(await relay({ "x-twilio-signature": "AAAA" })).toBe("refused");
    const named = `wss://parley.example.com${path("/calls/k/relay")}`;
    const signature = getExpectedTwilioSignature(line.auth_token, named, {});
    expect(await relay({ "x-twilio-signature": signature })).toBe("open");
  });
});

describe("what comes in", () => {
  test("a text is taken once, however often it is sent", async () => {
    const form = text("+15126670001", "SMreplayed");
    const answers = await Promise.all([1, 2, 3, 4].map(() => send("/messages", form)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [200, expect.stringContaining("<Response></Response>")]),
    );
    expect((await textsWith(app, "+15126670001")).filter(({ direction }) => direction === "in")).toHaveLength(
      1,
    );
  });

  test("a callback that comes before we know what was sent, late, again or out of order moves nothing back", async () => {
    const from = "+15126670002";
    await send("/messages", text(from, "SMordered"));
    const sent = () => textsWith(app, from).then((all) => all.find(({ direction }) => direction === "out"));
    const out = await eventually(sent, (found) => found?.status === "DELIVERED");
    const suffix = `/messages/${out?.key}/status`;
    for (const form of [messageStatus.sent, messageStatus.delivered, messageStatus.sent]) {
      expect((await send(suffix, { ...form, MessageSid: String(out?.sid) })).status).toBe(204);
    }
    expect((await sent())?.status).toBe("DELIVERED");
  });

  test("a call that nobody answers is rejected, and said so", async () => {
    const { status, body } = await send("/voice", incomingCall.body);
    expect(status).toBe(200);
    expect(body).toContain("<Reject");
  });

  test.each(["/messages", "/voice/status", "/calls/k/status"])(
    "%s with nothing in it is acknowledged",
    async (suffix) => {
      expect((await send(suffix, {})).status).toBe(204);
    },
  );

  test("a JSON body is told what is wanted", async () => {
    const response = await fetch(url + path("/messages"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(415);
  });
});

describe("the socket of a call", () => {
  const relay = async () => {
    const named = `wss://parley.example.com${path("/calls/k/relay")}`;
    const headers = { "x-twilio-signature": getExpectedTwilioSignature(line.auth_token, named, {}) };
    const socket = new WebSocket(`${url.replace("http", "ws")}${path("/calls/k/relay")}`, { headers });
    const closed = new Promise<number>((resolve) => {
      socket.addEventListener("close", ({ code }) => resolve(code));
    });
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    return { socket, closed };
  };
  const setup = (call_id: string, token: string) =>
    JSON.stringify({ type: "setup", callSid: "CA1", customParameters: { call_id, token } });

  test.each([
    ["no JSON", "hello"],
    ["no setup", '{"type":"prompt","voicePrompt":"Hi","last":true}'],
    ["a call that never was", setup("999999", "token")],
    ["a call id that is no number", setup("1 or 1=1", "token")],
  ])("that begins with %s is closed", async (_what, frame) => {
    const { socket, closed } = await relay();
    socket.send(frame);
    expect(await closed).toBe(1008);
  });

  test("that floods is closed", async () => {
    const { socket, closed } = await relay();
    for (let n = 0; n < 10_000; n++) socket.send("{}");
    expect(await closed).toBe(1008);
    // One line, however much came.
    expect(logged("a call's socket was flooded")).toHaveLength(1);
  });

  test("that sends a frame larger than a conversation has is closed, and said in the log", async () => {
    const { socket, closed } = await relay();
    socket.send("x".repeat(70_000));
    expect(await closed).toBe(1009);
    expect(logged("a call's socket sent what can't be read")).toHaveLength(1);
  });
});
