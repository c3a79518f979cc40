import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { encodeUlaw } from "../../../src/audio/g711.ts";
import { tone } from "../../../src/audio/tones.ts";
import { type CallRecordings, createCallRecordings } from "../../../src/calls/recordings/call-recording.ts";
import { createVoiceCalls } from "../../../src/calls/telephone.ts";
import type { CarrierNumbers, Carriers } from "../../../src/channels/carrier.ts";
import { afterFile } from "../../harness/after-file.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { runClock } from "../../harness/run-clock.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";
import { waitForLocks } from "../../harness/waiting.ts";

const PUBLIC_URL = "https://parley.example.com";
const AUTH_TOKEN = "the account's token";
const NUMBER = "+15125550177";

/** Four sentences, of which each takes 400 ms. */
const HOURS =
  "On weekdays from nine to five. On Saturdays from ten to two. On Sundays by appointment. On holidays never.";

const none = async () => {
  throw new Error("nobody asks for this");
};
const numbers: CarrierNumbers = {
  list: async () => [{ sid: "PN1", phone_number: NUMBER, friendly_name: "Clinic", trunk_sid: "" }],
  buy: none,
  attach: none,
  release: none,
  isA2pApproved: none,
};
/** An account at Twilio that nothing is asked of but its numbers. */
const carriers: Carriers = {
  of: async ({ id, channel_service }) =>
    channel_service === "twilio"
      ? {
          carrier: { name: "Twilio", simulated: false, isOwnAddress: () => false, numbers },
          account: { channel_id: id, credentials: { account_sid: "AC1", auth_token: AUTH_TOKEN } },
        }
      : null,
};

let app: TestApp;
let url: string;
let channel_id: number;
beforeAll(async () => {
  app = await createTestApp({ PUBLIC_URL }, undefined, { voiceEngines: LOUD_ENGINES, carriers });
  const stop = runClock(app.clock);
  url = await app.listen();
  const extensions = [{ name: "work", numbers: [{ number: "+14155550100", rules: null }] }];
  await app.send("POST", "/api/v1/directory_members/", { name: "Front desk", type: "Operator", extensions });
  const { agent_id } = await createAgent(app, {
    script: `
      on /open/ -> say "From nine to five."
      on /9/ -> say "${HOURS}"
      on /7/ -> say "One moment." then call transfer {"destination": "Front desk", "reason": "asked"}
      after transfer -> say "The desk is busy."
      on /.*/ -> say "Please say that again."`,
    systemTools: ["transfer"],
    greeting: { text: "Hello, this is the clinic." },
  });
  const channel = await app.send("POST", "/api/v1/channels/", {
    name: "Streamed",
    channel_service: "twilio",
    config: {
      account_sid: "AC1",
      auth_token: AUTH_TOKEN,
      telephony: { audio: "stream", pre_input_timeout: 0 },
    },
  });
  expect(channel.status, JSON.stringify(channel.body)).toBe(200);
  channel_id = channel.body.id;
  const body = { agent_id, channel_id, target: NUMBER, target_mode: "voice" };
  const target = await app.send("POST", `/api/v1/channels/${channel_id}/targets`, body);
  expect(target.status, JSON.stringify(target.body)).toBe(200);
  return stop;
});

const at = (suffix: string) => `/carriers/twilio/${channel_id}${suffix}`;

/** As the carrier posts it; gives its markup. */
async function post(suffix: string, more: Record<string, string>): Promise<string> {
  const form = { AccountSid: "AC1", From: "+14155550199", To: NUMBER, CallStatus: "in-progress", ...more };
  const signature = getExpectedTwilioSignature(AUTH_TOKEN, PUBLIC_URL + at(suffix), form);
  const answer = await fetch(url + at(suffix), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature },
    body: new URLSearchParams(form),
  });
  expect(answer.status).toBe(200);
  return answer.text();
}
const parametersOf = (markup: string) =>
  Object.fromEntries(
    [...markup.matchAll(/<Parameter name="(\w+)" value="([^"]+)"/g)].map(([, name, value]) => [name, value]),
  );

const HUNG_UP = { status: "COMPLETED" as const, word: "completed", error_code: null, is_transient: null };
const SILENCE = encodeUlaw(new Int16Array(160));
const VOICE = encodeUlaw(tone(200, { rate: 8000, ms: 20 }));

/** The carrier's end of a stream: plays at once what it is sent, and returns marks in order. */
async function stream(sid: string, parameters: object, encoding = "audio/x-mulaw") {
  const named = PUBLIC_URL.replace("http", "ws") + at(`/calls/${sid}/stream`);
  const socket = new WebSocket(url.replace("http", "ws") + at(`/calls/${sid}/stream`), {
    headers: { "x-twilio-signature": getExpectedTwilioSignature(AUTH_TOKEN, named, {}) },
  });
  const heard: number[] = [];
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  let sequence = 0;
  const tell = (message: object) =>
    socket.send(JSON.stringify({ ...message, sequenceNumber: String(++sequence), streamSid: `MZ${sid}` }));
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    expect(message.streamSid).toBe(`MZ${sid}`);
    if (message.event === "media") heard.push(Buffer.from(message.media.payload, "base64").length);
    if (message.event === "mark") tell({ event: "mark", mark: message.mark });
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  socket.send(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }));
  const mediaFormat = { encoding, sampleRate: 8000, channels: 1 };
  const start = {
    accountSid: "AC1",
    callSid: sid,
    tracks: ["inbound"],
    mediaFormat,
    customParameters: parameters,
  };
  tell({ event: "start", start });
  const media = (chunk: number, codes: Uint8Array) => {
    const payload = Buffer.from(codes).toString("base64");
    tell({
      event: "media",
      media: { track: "inbound", chunk: String(chunk), timestamp: String(chunk * 20), payload },
    });
  };
  return { socket, heard, closed, tell, media };
}

type Line = Awaited<ReturnType<typeof stream>>;

/** The carrier's word that the caller has left. */
const signal = (sid: string) =>
  app.voiceCalls.signal({ ...HUNG_UP, key: null, sid, at: app.clock.now() }, channel_id);

/** The status that a socket is answered with. */
const upgrade = (sid: string, signature: string | undefined) =>
  new Promise((resolve) =>
    new WebSocket(url.replace("http", "ws") + at(`/calls/${sid}/stream`), {
      headers: signature === undefined ? {} : { "x-twilio-signature": signature },
    })
      .on("unexpected-response", (_request, { statusCode }) => resolve(statusCode))
      .on("open", () => resolve("open")),
  );

const transcript = async (sid: string): Promise<string[]> => {
  const query = `search_fields=channel_manager_sid&search_field_values=${sid}`;
  const { items } = (await app.send("GET", `/api/v1/sessions/?${query}`)).body;
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${items[0].session_id}`);
  return body.transcription.map((line: { source: string; text: string }) => `${line.source}: ${line.text}`);
};
const callRow = async (sid: string) =>
  app.db.selectFrom("calls").selectAll().where("sid", "=", sid).executeTakeFirstOrThrow();
const voiceOf = async (sid: string) =>
  (await app.send("GET", `/api/v1/sessions/${(await callRow(sid)).session_id}`)).body.voice;
const logged = (words: string) => app.logged.filter((line) => line.includes(words)).length;

test("a channel that streams is handed the call's audio, with its secret in a parameter and not in the address", async () => {
  const markup = await post("/voice", { CallSid: "CA1" });
  expect(markup).toContain(`<Stream url="wss://parley.example.com${at("/calls/CA1/stream")}">`);
  expect(parametersOf(markup)).toEqual({ call_id: expect.any(String), token: expect.any(String) });
});

test("a caller is heard and answered in frames of 20 ms, whatever order, size and number theirs come in", async () => {
  const line = await stream("CA2", parametersOf(await post("/voice", { CallSid: "CA2" })));
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  await expect.poll(() => transcript("CA2")).toEqual(["agent: Hello, this is the clinic."]);
  line.tell({ event: "media", media: { track: "inbound", chunk: "x", payload: "?" } });
  line.socket.send("no JSON");
  line.socket.send(Buffer.alloc(160));
  let chunk = 0;
  for (let n = 0; n < 10; n++) {
    line.media(chunk + 2, VOICE);
    line.media(chunk + 1, VOICE);
    line.media(chunk + 1, VOICE);
    chunk += 2;
  }
  for (let n = 0; n < 10; n++) line.media(++chunk, SILENCE);
  await expect
    .poll(() => transcript("CA2"))
    .toEqual(["agent: Hello, this is the clinic.", "user: when are you open", "agent: From nine to five."]);
  expect(new Set(line.heard)).toEqual(new Set([160]));
  // One line of its kind, however often it came.
  expect(logged("a message of a stream was not understood")).toBe(1);
  line.tell({ event: "dtmf", dtmf: { track: "inbound_track", digit: "5" } });
  await expect.poll(() => transcript("CA2")).toContain("agent: Please say that again.");
  line.tell({ event: "stop", stop: { accountSid: "AC1", callSid: "CA2" } });
  line.socket.close();
  await expect
    .poll(
      async () => (await app.db.selectFrom("calls").select("state").where("sid", "=", "CA2").execute())[0],
    )
    .toEqual({ state: "ended" });
  expect(await post("/calls/CA2/stream-ended", { CallSid: "CA2" })).toContain("<Hangup");
  // What was heard and spoken here, and its price, is the session's.
  const voice = await voiceOf("CA2");
  expect(voice).toEqual({
    hearing_seconds: expect.closeTo(0.6, 1),
    speaking_seconds: expect.closeTo(1.2, 5),
    cost_usd: expect.closeTo((voice.hearing_seconds * 0.06 + voice.speaking_seconds * 0.6) / 60, 5),
  });
});

test("who was on the line while it stood still for ten seconds is heard after it, and a flood is closed", async () => {
  const line = await stream("CA30", parametersOf(await post("/voice", { CallSid: "CA30" })));
  await expect.poll(() => transcript("CA30")).toEqual(["agent: Hello, this is the clinic."]);
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  let chunk = 0;
  for (let n = 0; n < 500; n++) line.media(++chunk, SILENCE);
  for (let n = 0; n < 20; n++) line.media(++chunk, VOICE);
  for (let n = 0; n < 10; n++) line.media(++chunk, SILENCE);
  await expect.poll(() => transcript("CA30")).toContain("agent: From nine to five.");
  expect([line.socket.readyState, (await callRow("CA30")).state]).toEqual([WebSocket.OPEN, "open"]);
  // Without audio, so that also a busy machine reads them faster than a call may bring them.
  for (let n = 0; n < 20_000; n++) line.socket.send('{"event":"connected"}');
  expect(await line.closed).toBe(1008);
  expect(logged("a call's socket was flooded and closed")).toBe(1);
  await expect.poll(async () => (await callRow("CA30")).state).toBe("ended");
});

test("a stream with a wrong token, for another call, or of another code is closed, and the call can still be opened", async () => {
  const parameters = parametersOf(await post("/voice", { CallSid: "CA3" }));
  const other = parametersOf(await post("/voice", { CallSid: "CA4" }));
  // A call beside it, which none of this concerns.
  const beside = await stream("CA4", other);
  await expect.poll(() => beside.heard.length).toBeGreaterThan(0);
  const refused = logged("a stream is of no call of ours");
  for (const wrong of [{ ...parameters, token: "no" }, { ...parameters, token: other.token }, {}]) {
    expect(await (await stream("CA3", wrong)).closed).toBe(1008);
  }
  expect(logged("a stream is of no call of ours")).toBe(refused + 2);
  expect(logged("a stream did not say which call it is of")).toBe(1);
  expect(await (await stream("CA3", parameters, "audio/L16")).closed).toBe(1008);
  expect(logged("a stream is of another code")).toBe(1);
  for (const signature of [undefined, "made up"]) expect(await upgrade("CA3", signature)).toBe(403);
  expect(logged("an unsigned callback was refused")).toBe(2);
  const line = await stream("CA3", parameters);
  await expect.poll(() => line.heard.length).toBeGreaterThan(0);
  // Opened once.
  expect(await (await stream("CA3", parameters)).closed).toBe(1008);
  expect([line.socket.readyState, beside.socket.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  expect(await transcript("CA4")).toEqual(["agent: Hello, this is the clinic."]);
  for (const { socket } of [line, beside]) socket.close();
});

/** Another process on the same database, with lines that say nothing. */
const otherProcess = (owner: string, recordings?: CallRecordings) =>
  createVoiceCalls({
    voice_missing: null,
    engine: { ...app.engine, owner },
    vault: app.vault,
    carriers,
    attempts: {
      find: async () => undefined,
      sessionStarted: async () => {},
      signal: async () => {},
    } as never,
    publicUrl: PUBLIC_URL,
    ...(recordings && { recordings }),
  });

test("a call whose process died is opened anew by whoever the carrier asks, and its last words are said again", async () => {
  const parameters = parametersOf(await post("/voice", { CallSid: "CA5" })) as {
    call_id: string;
    token: string;
  };
  const dead = otherProcess("a process that dies");
  const used = { hearing_ms: 5000, speaking_ms: 3000, cost_usd: 0.5 };
  const call = await dead.open(parameters.call_id, parameters.token, {
    send() {},
    close() {},
    use: () => used,
  });
  call?.input({ type: "open", sid: "CA5" });
  await expect.poll(() => transcript("CA5")).toEqual(["agent: Hello, this is the clinic."]);
  // Stored as it runs.
  await expect.poll(async () => (await callRow("CA5")).hearing_ms).toBe(5000);
  const again = parametersOf(await post("/calls/CA5/stream-ended", { CallSid: "CA5" }));
  expect(again.call_id).toBe(parameters.call_id);
  expect(again.token).not.toBe(parameters.token);
  expect(await (await stream("CA5", parameters)).closed).toBe(1008);
  const line = await stream("CA5", again);
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  expect(await transcript("CA5")).toEqual(["agent: Hello, this is the clinic."]);
  line.tell({ event: "stop", stop: { accountSid: "AC1", callSid: "CA5" } });
  await expect.poll(() => voiceOf("CA5")).toBeTruthy();
  expect(await voiceOf("CA5")).toMatchObject({ speaking_seconds: expect.closeTo(3.4, 5) });
  expect((await voiceOf("CA5")).cost_usd).toBeCloseTo(0.504, 2);
});

test.each([
  ["hangs up", "CA12", (line: Line) => line.tell({ event: "stop", stop: { callSid: "CA12" } })],
  ["has left by the carrier's word", "CA13", () => signal("CA13")],
  [
    "loses the line and never comes back",
    "CA14",
    async (line: Line) => {
      line.socket.terminate();
      await expect.poll(async () => (await callRow("CA14")).state).toBe("answered");
      await signal("CA14");
    },
  ],
])("who %s in mid-sentence leaves in the transcript what was heard", async (_, sid, leaves) => {
  const line = await stream(sid, parametersOf(await post("/voice", { CallSid: sid })));
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  line.tell({ event: "dtmf", dtmf: { track: "inbound_track", digit: "9" } });
  const before = line.heard.length;
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(before + 25);
  await leaves(line);
  await expect.poll(async () => (await callRow(sid)).state).toBe("ended");
  const { session_id } = await callRow(sid);
  const { text, unheard } = await app.db
    .selectFrom("session_messages")
    .select(["text", "unheard"])
    .where("session_id", "=", session_id)
    .orderBy("seq", "desc")
    .executeTakeFirstOrThrow();
  expect(text).toMatch(/^On weekdays from nine to five\./);
  expect(unheard).toMatch(/On holidays never\.$/);
  expect(`${text} ${unheard}`.length).toBeGreaterThanOrEqual(HOURS.length - 1);
});

test("a call whose socket broke goes on in the same process, and ends when the caller is gone all the same", async () => {
  const parameters = parametersOf(await post("/voice", { CallSid: "CA7" }));
  const line = await stream("CA7", parameters);
  await expect.poll(() => transcript("CA7")).toEqual(["agent: Hello, this is the clinic."]);
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  line.socket.terminate();
  const again = parametersOf(await post("/calls/CA7/stream-ended", { CallSid: "CA7" }));
  expect(again.call_id).toBe(parameters.call_id);
  expect(await (await stream("CA7", parameters)).closed).toBe(1008);
  const back = await stream("CA7", again);
  await expect.poll(() => back.heard.length).toBeGreaterThanOrEqual(20);
  // What was not heard before the line broke is said once more, and stands in the transcript.
  expect(await transcript("CA7")).toEqual(["agent: Hello, this is the clinic."]);
  back.tell({ event: "dtmf", dtmf: { track: "inbound_track", digit: "5" } });
  await expect
    .poll(() => transcript("CA7"))
    .toEqual(["agent: Hello, this is the clinic.", "user: 5", "agent: Please say that again."]);
  expect(await callRow("CA7")).toMatchObject({ state: "open", leg: 2 });
  // Broken once more, and this time the carrier knows that the caller hung up.
  back.socket.terminate();
  await expect.poll(async () => (await callRow("CA7")).state).toBe("answered");
  await signal("CA7");
  const { session_id } = await callRow("CA7");
  expect((await app.send("GET", `/api/v1/sessions/${session_id}`)).body).toMatchObject({
    end_reason: "user",
    voice: { speaking_seconds: expect.closeTo(1.2, 5) },
  });
});

test("a call whose socket breaks before its line is open goes on over the next one", async () => {
  const line = await stream("CA16", parametersOf(await post("/voice", { CallSid: "CA16" })));
  line.socket.terminate();
  await expect.poll(async () => (await callRow("CA16")).leg).toBe(2);
  expect((await callRow("CA16")).state).toBe("answered");
  const again = await stream(
    "CA16",
    parametersOf(await post("/calls/CA16/stream-ended", { CallSid: "CA16" })),
  );
  await expect.poll(() => again.heard.length).toBeGreaterThanOrEqual(20);
  await expect.poll(() => transcript("CA16")).toEqual(["agent: Hello, this is the clinic."]);
  again.socket.close();
});

test("a caller who hangs up before their line is open has hung up, however much was heard until then", async () => {
  const parameters = parametersOf(await post("/voice", { CallSid: "CA17" }));
  const { id, session_id } = await callRow("CA17");
  // Whoever opens the line waits for its row.
  const holder = await app.database.pool.connect();
  await holder.query("begin");
  await holder.query("select from calls where id = $1 for update", [id]);
  const line = await stream("CA17", parameters);
  await waitForLocks(app.database.pool, 1);
  for (let chunk = 1; chunk <= 280; chunk++) line.media(chunk, SILENCE);
  line.tell({ event: "stop", stop: { accountSid: "AC1", callSid: "CA17" } });
  line.socket.close();
  await line.closed;
  await holder.query("commit");
  holder.release();
  await expect.poll(async () => (await callRow("CA17")).state).toBe("ended");
  expect((await app.send("GET", `/api/v1/sessions/${session_id}`)).body).toMatchObject({
    end_reason: "user",
  });
});

test("what a carrier sends twice, or after the stream's end, is done once and changes nothing", async () => {
  const line = await stream("CA18", parametersOf(await post("/voice", { CallSid: "CA18" })));
  await expect.poll(() => transcript("CA18")).toEqual(["agent: Hello, this is the clinic."]);
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  // Another beginning, a mark that we never sent, and one of words long over.
  line.tell({
    event: "start",
    start: {
      accountSid: "AC1",
      callSid: "CA18",
      tracks: ["inbound"],
      mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
      customParameters: parametersOf(await post("/voice", { CallSid: "CA19" })),
    },
  });
  for (const name of ["9:9999999", "0:1600", "nothing of ours"]) line.tell({ event: "mark", mark: { name } });
  line.tell({ event: "dtmf", dtmf: { track: "inbound_track", digit: "5" } });
  const said = ["agent: Hello, this is the clinic.", "user: 5", "agent: Please say that again."];
  await expect.poll(() => transcript("CA18")).toEqual(said);
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(40);
  for (const _ of [1, 2]) line.tell({ event: "stop", stop: { accountSid: "AC1", callSid: "CA18" } });
  for (let chunk = 1; chunk <= 10; chunk++) line.media(chunk, VOICE);
  for (let chunk = 11; chunk <= 20; chunk++) line.media(chunk, SILENCE);
  line.tell({ event: "dtmf", dtmf: { track: "inbound_track", digit: "7" } });
  await expect.poll(async () => (await callRow("CA18")).state).toBe("ended");
  line.socket.close();
  await line.closed;
  for (const _ of [1, 2]) await signal("CA18");
  await app.voiceCalls.signal(
    { ...HUNG_UP, status: "MACHINE", word: "machine_start", key: null, sid: "CA18", at: app.clock.now() },
    channel_id,
  );
  expect(await post("/calls/CA18/stream-ended", { CallSid: "CA18" })).toContain("<Hangup");
  expect(await transcript("CA18")).toEqual(said);
  expect(await callRow("CA18")).toMatchObject({ state: "ended", leg: 1, answerer: null });
  expect(await callRow("CA19")).toMatchObject({ state: "answered" });
});

test("a process that still holds a line which another has opened anew falls silent, and stores nothing more", async () => {
  const line = await stream("CA8", parametersOf(await post("/voice", { CallSid: "CA8" })));
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  const other = otherProcess("the process that the carrier reaches");
  const again = await other.streamEnded("CA8", channel_id);
  expect(again.action).toBe("reopen");
  const { call_id, token } = again as { call_id: string; token: string };
  const there: string[] = [];
  const reopened = await other.open(call_id, token, {
    send: (output) => output.type === "say" && there.push(output.text),
    close() {},
  });
  reopened?.input({ type: "open", sid: "CA8" });
  expect(there).toEqual(["Hello, this is the clinic."]);
  expect(await line.closed).toBe(1000);
  expect(await callRow("CA8")).toMatchObject({ state: "open", leg: 2 });
  // A word that comes late on the old line is nobody's.
  expect(await transcript("CA8")).toEqual(["agent: Hello, this is the clinic."]);
  reopened?.input({ type: "closed" });
  await expect.poll(async () => (await callRow("CA8")).state).toBe("ended");
});

test("a call whose process died and whose caller has left is ended by the carrier's word, with its recording", async () => {
  const { call_id = "", token = "" } = parametersOf(await post("/voice", { CallSid: "CA9" }));
  const recordings = createCallRecordings({ engine: app.engine, dataDir: app.config.data_dir });
  const dead = otherProcess("another process that dies", recordings);
  const call = await dead.open(call_id, token, { send() {}, close() {} });
  call?.input({ type: "open", sid: "CA9" });
  const recorder = await call?.record(8000);
  // A dead process has no files open.
  afterFile(() => {
    recorder?.end();
    return recordings.written();
  });
  for (let n = 0; n < 200; n++) recorder?.caller(tone(200, { rate: 8000, ms: 20 }));
  const part = path.join(app.config.data_dir, "recordings", `call-${call_id}-1.wav.part`);
  await expect.poll(async () => (await stat(part)).size).toBeGreaterThan(1000);
  // Its lease ends with it. It lives on, and may hear of that before the caller has left: then its line is a broken one.
  await app.db
    .updateTable("calls")
    .set({ lease_owner: "a process that is gone", lease_expires_at: app.clock.now().toISOString() })
    .where("sid", "=", "CA9")
    .execute();
  await signal("CA9");
  const { session_id, state } = await callRow("CA9");
  expect(state).toBe("ended");
  expect((await app.send("POST", `/api/v1/sessions/recording/${session_id}`)).body.recordings).toHaveLength(
    1,
  );
});

test("a call that can't be recorded, as of a fault of the disk, is held all the same", async () => {
  const folder = path.join(app.config.data_dir, "recordings");
  await mkdir(folder, { recursive: true });
  await rename(folder, `${folder} away`);
  await writeFile(folder, "no folder");
  const line = await stream("CA15", parametersOf(await post("/voice", { CallSid: "CA15" })));
  const isClosed = () => line.socket.readyState !== WebSocket.OPEN;
  await expect.poll(() => line.heard.length > 0 || isClosed()).toBe(true);
  await rm(folder);
  await rename(`${folder} away`, folder);
  expect(isClosed()).toBe(false);
  await expect.poll(() => transcript("CA15")).toEqual(["agent: Hello, this is the clinic."]);
  line.tell({ event: "dtmf", dtmf: { track: "inbound_track", digit: "5" } });
  await expect.poll(() => transcript("CA15")).toContain("agent: Please say that again.");
  expect(logged("A call was not recorded")).toBe(1);
  line.socket.close();
});

test("the carrier's word that the caller has left ends a call whose line breaks in that moment, on another process too", async () => {
  const { call_id = "", token = "" } = parametersOf(await post("/voice", { CallSid: "CA11" }));
  const other = otherProcess("another process whose line breaks");
  const call = await other.open(call_id, token, { send() {}, close() {} });
  call?.input({ type: "open", sid: "CA11" });
  call?.input({ type: "closed", lost: true });
  await signal("CA11");
  expect((await callRow("CA11")).state).toBe("ended");
});

test("a call that the agent transfers is dialled on once its stream is closed, and streamed again when nobody is there", async () => {
  const line = await stream("CA6", parametersOf(await post("/voice", { CallSid: "CA6" })));
  await expect.poll(() => transcript("CA6")).toEqual(["agent: Hello, this is the clinic."]);
  line.tell({ event: "dtmf", dtmf: { track: "inbound_track", digit: "7" } });
  expect(await line.closed).toBe(1000);
  const dialled = await post("/calls/CA6/stream-ended", { CallSid: "CA6" });
  expect(dialled).toContain("<Dial");
  expect(dialled).toContain("+14155550100");
  const back = await post("/calls/CA6/transfer", { CallSid: "CA6", DialCallStatus: "busy" });
  expect(back).toContain("<Stream");
  const again = await stream("CA6", parametersOf(back));
  // The key has cut the greeting short.
  await expect
    .poll(async () => (await transcript("CA6")).slice(1, 4))
    .toEqual(["user: 7", "agent: One moment.", "agent: The desk is busy."]);
  again.socket.close();
});

test("a channel is not told to stream where nothing hears, or over another carrier", async () => {
  const deaf = await createTestApp({}, undefined, {
    voiceEngines: { ...LOUD_ENGINES, missing: "No ear is here." },
  });
  const make = (to: TestApp, channel_service: string) =>
    to.send("POST", "/api/v1/channels/", {
      name: "Deaf",
      channel_service,
      config: { telephony: { audio: "stream" } },
    });
  expect(await make(deaf, "twilio")).toMatchObject({
    status: 422,
    body: {
      detail: [
        { loc: ["body", "config", "telephony", "audio"], msg: expect.stringContaining("No ear is here.") },
      ],
    },
  });
  expect((await make(app, "whatsapp")).status).toBe(422);
});
