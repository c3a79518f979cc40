import { beforeAll, expect, test } from "vitest";
import { encodeUlaw } from "../../../src/audio/g711.ts";
import { tone } from "../../../src/audio/tones.ts";
import { Scenario } from "../../../src/simulator/people.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { runClock } from "../../harness/run-clock.ts";
import { createTelnyxDouble, telnyxStream } from "../../harness/telnyx.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";

const NUMBER = "+15125550177";
const PUBLIC_URL = "https://parley.example.com";

let app: TestApp;
let url: string;
let telnyx: Awaited<ReturnType<typeof createTelnyxDouble>>;
let channel_id: number;
const credentials = () => ({
  carrier: "telnyx",
  api_key: "the api key",
  public_key: telnyx.public_key,
  connection_id: "1234",
});

beforeAll(async () => {
  telnyx = await createTelnyxDouble();
  app = await createTestApp({ PUBLIC_URL, TELNYX_BASE_URL: telnyx.url }, undefined, {
    voiceEngines: LOUD_ENGINES,
    simulation: { scenario: Scenario.parse({}), speed: "moved" },
  });
  const stop = runClock(app.clock);
  url = await app.listen();
  const extensions = [{ name: "work", numbers: [{ number: "+14155550100", rules: null }] }];
  await app.send("POST", "/api/v1/directory_members/", { name: "Front desk", type: "Operator", extensions });
  const { agent_id } = await createAgent(app, {
    script: `
      on /open/ -> say "From nine to five."
      on /7/ -> say "One moment." then call transfer {"destination": "Front desk", "reason": "asked"}
      on /9/ -> say "Goodbye." then call hangup {"reason": "asked"}
      after transfer -> say "The desk is busy."
      on /.*/ -> say "Please say that again."`,
    systemTools: ["transfer", "hangup"],
    greeting: { text: "Hello, this is the clinic." },
  });
  const channel = await app.send("POST", "/api/v1/channels/", {
    name: "Telnyx",
    channel_service: "sip",
    config: { provider_credentials: credentials() },
  });
  expect(channel.status, JSON.stringify(channel.body)).toBe(200);
  channel_id = channel.body.id;
  const body = { agent_id, channel_id, target: NUMBER, target_mode: "voice" };
  const target = await app.send("POST", `/api/v1/channels/${channel_id}/targets`, body);
  expect(target.status, JSON.stringify(target.body)).toBe(200);
  return stop;
});

const CALL = { from: "+14155550199", to: NUMBER, connection_id: "1234" };
const path = () => `/carriers/telnyx/${channel_id}/events`;

/** As Telnyx posts it; the status it is answered with. */
async function post(event_type: string, payload: Record<string, unknown>, headers = {}): Promise<number> {
  const { body, headers: signed } = telnyx.event(event_type, { ...CALL, ...payload }, app.clock.now());
  return (await fetch(url + path(), { method: "POST", body, headers: { ...signed, ...headers } })).status;
}
const socketUrl = () => `${url.replace("http", "ws")}/carriers/telnyx/${channel_id}/stream`;

/** A call that came in, answered, and its audio streamed. */
async function incoming(sid: string) {
  expect(await post("call.initiated", { call_control_id: sid, direction: "incoming" })).toBe(204);
  expect(telnyx.actions(sid)).toEqual(["answer"]);
  expect(await post("call.answered", { call_control_id: sid })).toBe(204);
  return telnyxStream(socketUrl(), { sid, parameters: telnyx.streamOf(sid).parameters });
}

const callRow = (sid: string) =>
  app.db.selectFrom("calls").selectAll().where("sid", "=", sid).executeTakeFirstOrThrow();
const transcript = async (sid: string): Promise<string[]> => {
  const { session_id } = await callRow(sid);
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
  return body.transcription.map((line: { source: string; text: string }) => `${line.source}: ${line.text}`);
};
const logged = (words: string) => app.logged.filter((line) => line.includes(words)).length;

const GREETED = "agent: Hello, this is the clinic.";
const SILENCE = encodeUlaw(new Int16Array(160));
const VOICE = encodeUlaw(tone(200, { rate: 8000, ms: 20 }));

test("a call is answered, streamed in RTP mode both ways with its secret in a parameter, heard and hung up", async () => {
  const sid = "v3:in1";
  const line = await incoming(sid);
  const { url: streamed } = telnyx.streamOf(sid);
  expect(streamed).toBe(`wss://parley.example.com/carriers/telnyx/${channel_id}/stream`);
  const start = telnyx.commands.find(
    (command) => command.action === "streaming_start" && command.sid === sid,
  );
  expect(start?.body).toMatchObject({ stream_bidirectional_mode: "rtp", stream_bidirectional_codec: "PCMU" });
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  line.tell({ event: "media", media: { track: "inbound", chunk: "x", payload: "?" } });
  line.socket.send("no JSON");
  let chunk = 0;
  // Out of order, and doubled.
  for (let n = 0; n < 10; n++) {
    line.media(chunk + 2, VOICE);
    line.media(chunk + 1, VOICE);
    line.media(chunk + 1, VOICE);
    chunk += 2;
  }
  for (let n = 0; n < 10; n++) line.media(++chunk, SILENCE);
  await expect
    .poll(() => transcript(sid))
    .toEqual([GREETED, "user: when are you open", "agent: From nine to five."]);
  // 20 ms at least, as Telnyx asks for.
  expect(new Set(line.heard)).toEqual(new Set([160]));
  line.tell({ event: "dtmf", dtmf: { digit: "9" } });
  expect(await line.closed).toBe(1000);
  expect(await post("streaming.stopped", { call_control_id: sid })).toBe(204);
  expect(telnyx.actions(sid)).toEqual(["answer", "streaming_start", "hangup"]);
  expect((await callRow(sid)).state).toBe("ended");
});

test("events that come twice or late are done once, and of unknown calls not at all", async () => {
  const sid = "v3:in2";
  const line = await incoming(sid);
  await expect.poll(() => line.heard.length).toBeGreaterThan(0);
  expect(await post("call.initiated", { call_control_id: sid, direction: "incoming" })).toBe(204);
  expect(await post("call.answered", { call_control_id: sid })).toBe(204);
  expect(telnyx.actions(sid)).toEqual(["answer", "streaming_start"]);
  expect(await post("streaming.stopped", { call_control_id: "v3:nobody" })).toBe(204);
  expect(await post("call.hangup", { call_control_id: "v3:nobody", hangup_cause: "user_busy" })).toBe(204);
  expect(await post("call.speak.ended", { call_control_id: sid })).toBe(204);
  expect(await post("call.hangup", { call_control_id: sid, hangup_cause: "normal_clearing" })).toBe(204);
  await expect.poll(async () => (await callRow(sid)).state).toBe("ended");
  expect(
    await post("call.initiated", { call_control_id: "v3:in3", direction: "incoming", to: "+15125550000" }),
  ).toBe(204);
  expect(telnyx.actions("v3:in3")).toEqual(["reject"]);
});

test("what Telnyx did not sign, or signed long ago, is refused and logged", async () => {
  const refused = logged("an unsigned callback was refused");
  const payload = { call_control_id: "v3:forged", direction: "incoming" };
  expect(await post("call.initiated", payload, { "telnyx-signature-ed25519": "bm8=" })).toBe(403);
  expect(await post("call.initiated", payload, { "telnyx-timestamp": "1" })).toBe(403);
  const unsigned = await fetch(url + path(), { method: "POST", body: "{}" });
  expect(unsigned.status).toBe(403);
  const other = await fetch(`${url}/carriers/telnyx/999999/events`, { method: "POST", body: "{}" });
  expect(other.status).toBe(403);
  expect(logged("an unsigned callback was refused")).toBe(refused + 4);
  expect(telnyx.actions("v3:forged")).toEqual([]);
});

test("a socket with a wrong token, of another call, without one, of another codec or a second time is closed; nothing else suffers", async () => {
  const sid = "v3:in4";
  await post("call.initiated", { call_control_id: sid, direction: "incoming" });
  await post("call.answered", { call_control_id: sid });
  const { parameters } = telnyx.streamOf(sid);
  const beside = await incoming("v3:in5");
  await expect.poll(() => beside.heard.length).toBeGreaterThan(0);
  const other = telnyx.streamOf("v3:in5").parameters;
  const refused = logged("a stream is of no call of ours");
  for (const wrong of [{ ...parameters, token: "no" }, { ...parameters, token: other.token }, {}])
    expect(await (await telnyxStream(socketUrl(), { sid, parameters: wrong })).closed).toBe(1008);
  expect(logged("a stream is of no call of ours")).toBe(refused + 3);
  const linear = await telnyxStream(socketUrl(), { sid, parameters, encoding: "L16" });
  expect(await linear.closed).toBe(1008);
  const line = await telnyxStream(socketUrl(), { sid, parameters });
  await expect.poll(() => line.heard.length).toBeGreaterThan(0);
  expect(await (await telnyxStream(socketUrl(), { sid, parameters })).closed).toBe(1008);
  expect([line.socket.readyState, beside.socket.readyState]).toEqual([1, 1]);
  for (const { socket } of [line, beside]) socket.close();
});

test("a call whose socket broke is streamed anew, and its last words are said again", async () => {
  const sid = "v3:in6";
  const line = await incoming(sid);
  await expect.poll(() => transcript(sid)).toEqual([GREETED]);
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  const first = telnyx.streamOf(sid).parameters;
  line.socket.terminate();
  expect(await post("streaming.failed", { call_control_id: sid, failure_reason: "connection_failed" })).toBe(
    204,
  );
  const { parameters } = telnyx.streamOf(sid);
  expect(parameters.call_id).toBe(first.call_id);
  expect(parameters.token).not.toBe(first.token);
  const back = await telnyxStream(socketUrl(), { sid, parameters });
  await expect.poll(() => back.heard.length).toBeGreaterThanOrEqual(20);
  back.socket.close();
});

test("a call is transferred, and streamed again when nobody is there", async () => {
  const sid = "v3:in7";
  const line = await incoming(sid);
  await expect.poll(() => transcript(sid)).toEqual([GREETED]);
  line.tell({ event: "dtmf", dtmf: { digit: "7" } });
  expect(await line.closed).toBe(1000);
  await post("streaming.stopped", { call_control_id: sid });
  const transfer = telnyx.commands.findLast(({ action }) => action === "transfer");
  expect(transfer).toMatchObject({ sid, body: { to: "+14155550100" } });
  const leg = { call_control_id: "v3:leg", client_state: transfer?.body.target_leg_client_state };
  expect(await post("call.hangup", { ...leg, hangup_cause: "user_busy" })).toBe(204);
  const again = await telnyxStream(socketUrl(), { sid, parameters: telnyx.streamOf(sid).parameters });
  await expect
    .poll(async () => (await transcript(sid)).slice(1, 4))
    .toEqual(["user: 7", "agent: One moment.", "agent: The desk is busy."]);
  again.socket.close();
});

test("a command that Telnyx refuses because the call is over is no fault of ours", async () => {
  telnyx.refuse(({ path: at }) => at.includes("v3%3Agone"));
  expect(await post("call.initiated", { call_control_id: "v3:gone", direction: "incoming" })).toBe(204);
  telnyx.refuse(null);
  expect(logged("a command for a call was refused")).toBe(1);
});

test("a channel that names a carrier says what it needs, and shows nothing of it", async () => {
  const make = (provider_credentials: Record<string, string>) =>
    app.send("POST", "/api/v1/channels/", {
      name: "SIP",
      channel_service: "sip",
      config: { provider_credentials },
    });
  const without = await make({ carrier: "telnyx", api_key: "k", public_key: "short" });
  expect(without.status).toBe(422);
  expect(JSON.stringify(without.body)).toMatch(/connection_id is missing.*public_key should be/);
  expect((await make({ carrier: "nobody" })).status).toBe(422);
  expect((await make({ carrier: "asterisk", socket_password: "short" })).status).toBe(422);
  const shown = await app.send("GET", "/api/v1/channels/");
  expect(JSON.stringify(shown.body)).not.toContain("the api key");
  const { body } = await app.send("GET", `/api/v1/channels/${channel_id}/carrier`);
  expect(body).toMatchObject({ name: "Telnyx", simulated: false });
});
