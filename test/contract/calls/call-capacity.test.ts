import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createPeer, json } from "../../harness/peer.ts";
import { runClock } from "../../harness/run-clock.ts";
import { StreamCaller } from "../../harness/stream-caller.ts";
import { createTelnyxDouble } from "../../harness/telnyx.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";

const PUBLIC_URL = "https://parley.example.com";
const NUMBER = "+15125550177";
const OTHER_NUMBER = "+15125550178";
const DESK = "+14155550100";

let app: TestApp;
let url: string;
let client_id: string;
let telnyx: Awaited<ReturnType<typeof createTelnyxDouble>>;
let twilio_channel: number;
let telnyx_channel: number;

beforeAll(async () => {
  const twilio = await createPeer();
  telnyx = await createTelnyxDouble();
  const numbers = [NUMBER, OTHER_NUMBER].map((phone_number) => {
    return { sid: `PN${phone_number}`, phone_number, friendly_name: "Clinic" };
  });
  twilio.respond(({ path }, response) => {
    const one = numbers.find(({ sid }) => path.includes(encodeURIComponent(sid)));
    json(response, 200, one ?? { incoming_phone_numbers: numbers });
  });
  const env = { PUBLIC_URL, TWILIO_BASE_URL: twilio.url, TELNYX_BASE_URL: telnyx.url, VOICE_CALLS: "1" };
  const outside = { voiceEngines: LOUD_ENGINES, carriers: undefined as never };
  app = await createTestApp(env, undefined, outside);
  const stop = runClock(app.clock);
  url = await app.listen();
  const agent = await createAgent(app, {
    script: 'on /.*/ -> say "Please say that again."',
    greeting: { text: "Hello, this is the clinic." },
  });
  client_id = agent.target;
  const make = async (method: string, path: string, body: object) => {
    const answer = await app.send(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const linked = async (channel_service: string, config: object, ...targets: object[]) => {
    const { id } = await make("POST", "/api/v1/channels/", {
      name: channel_service,
      channel_service,
      config,
    });
    for (const more of targets) {
      const target = { agent_id: agent.agent_id, channel_id: id, target_mode: "voice", ...more };
      await make("POST", `/api/v1/channels/${id}/targets`, target);
    }
    return id as number;
  };
  twilio_channel = await linked(
    "twilio",
    { account_sid: "AC1", auth_token: "secret", telephony: { audio: "stream", pre_input_timeout: 0 } },
    { target: NUMBER },
    { target: OTHER_NUMBER, fallback_target: DESK },
  );
  const { public_key } = telnyx;
  telnyx_channel = await linked(
    "sip",
    {
      provider_credentials: { carrier: "telnyx", api_key: "the api key", public_key, connection_id: "1234" },
    },
    { target: "+15125550179" },
  );
  const { channel_id, id } = (await app.send("GET", `/api/v1/channels/targets?target=${client_id}`)).body
    .items[0];
  const allowed = { browser_calls: true };
  await make("PUT", `/api/v1/channels/${channel_id}/targets/${id}/browser_calls`, allowed);
  return stop;
});

const caller = (sid: string, to = NUMBER) =>
  new StreamCaller({
    at: url,
    publicUrl: PUBLIC_URL,
    auth_token: "secret",
    account_sid: "AC1",
    channel_id: twilio_channel,
    sid,
    from: "+14155550199",
    to,
  });
const callPage = () => app.send("POST", "/chat/v1/calls", { client_id });
const metrics = async () =>
  (await app.api.server.inject({ url: "/metrics", remoteAddress: "127.0.0.1" })).payload;
const figures = async () => {
  const payload = await metrics();
  const read = (name: string) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(payload)?.[1]);
  return [
    read("parley_voice_calls"),
    read("parley_voice_calls_most"),
    read("parley_voice_calls_refused_total"),
  ] as const;
};

test("one call more than a process has room for is busy, in its carrier's word or the page's, and leaves no session", async () => {
  const first = caller("CA1");
  await first.ring();
  await expect.poll(() => first.firstSound).not.toBeNull();
  expect(await figures()).toEqual([1, 1, 0]);

  const second = caller("CA2");
  await second.ring();
  expect(second.next).toBe("Reject");
  expect(second.markup).toContain('reason="busy"');
  // Whose number names another place, is led there.
  const third = caller("CA3", OTHER_NUMBER);
  await third.ring();
  expect([third.next, third.markup.includes(DESK)]).toEqual(["Dial", true]);

  const { status, body } = await callPage();
  expect([status, body.detail]).toEqual([429, "All lines are busy. Please call again in a minute."]);

  const payload = {
    call_control_id: "v3:busy",
    direction: "incoming",
    from: "+14155550199",
    to: "+15125550179",
    connection_id: "1234",
  };
  const event = telnyx.event("call.initiated", payload, app.clock.now());
  const answered = await fetch(`${url}/carriers/telnyx/${telnyx_channel}/events`, {
    method: "POST",
    body: event.body,
    headers: event.headers,
  });
  expect(answered.status).toBe(204);
  expect(telnyx.commands).toMatchObject([{ sid: "v3:busy", action: "reject", body: { cause: "USER_BUSY" } }]);

  expect(await figures()).toEqual([1, 1, 4]);
  expect(app.logged.filter((line) => line.includes("all lines are busy"))).toHaveLength(4);
  expect((await app.send("GET", "/api/v1/sessions/")).body.items).toHaveLength(1);
  // The call that has a place goes on, also over a new line.
  first.drop();
  await expect.poll(() => first.lines).toBe(2);
  await expect.poll(() => first.firstSound).not.toBeNull();
  expect((await figures())[0]).toBe(1);
  first.hangUp();
  await expect.poll(async () => (await figures())[0]).toBe(0);
});

test("a place is free again when its call is over, or was answered and never opened", async () => {
  const opened = await callPage();
  expect(opened.status).toBe(200);
  expect((await callPage()).status).toBe(429);
  app.clock.advance(16_000);
  const next = caller("CA4");
  await next.ring();
  expect(next.next).toBe("Stream");
  next.hangUp();
  await expect.poll(async () => (await figures())[0]).toBe(0);
});

test("a call that its carrier asks for twice at once is answered twice, and keeps its one place", async () => {
  const call = { carrier: "Twilio", sid: "CA5", key: null, channel_id: twilio_channel };
  const answer = () => app.voiceCalls.answer({ ...call, from: "+14155550199", to: NUMBER });
  const [one, other] = await Promise.all([answer(), answer()]);
  expect(one).toMatchObject({ call_id: expect.any(String) });
  expect(other).toEqual(one);
  expect((await figures())[0]).toBe(1);
});

test("what only grows is a counter for Prometheus, and what rises and falls a gauge", async () => {
  const types = Object.fromEntries(
    [...(await metrics()).matchAll(/^# TYPE (parley_voice_\S+) (\S+)$/gm)].map(([, name, type]) => [
      name,
      type,
    ]),
  );
  expect(types).toEqual({
    parley_voice_calls: "gauge",
    parley_voice_calls_most: "gauge",
    parley_voice_calls_refused_total: "counter",
  });
});
