import { beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { bytesOf } from "../../../src/audio/frames.ts";
import { tone } from "../../../src/audio/tones.ts";
import { Scenario } from "../../../src/simulator/people.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { runClock } from "../../harness/run-clock.ts";
import { LOUD_ENGINES } from "../../harness/voice-stand-ins.ts";

const PASSWORD = "a password of Asterisk's";
const EXTENSION = "+15125550177";

let app: TestApp;
let url: string;
let channel_id: number;
beforeAll(async () => {
  app = await createTestApp({}, undefined, {
    voiceEngines: LOUD_ENGINES,
    simulation: { scenario: Scenario.parse({}), speed: "moved" },
  });
  const stop = runClock(app.clock);
  url = (await app.listen()).replace("http", "ws");
  const extensions = [{ name: "work", numbers: [{ number: "+14155550100", rules: null }] }];
  await app.send("POST", "/api/v1/directory_members/", { name: "Front desk", type: "Operator", extensions });
  const { agent_id } = await createAgent(app, {
    script: `
      on /open/ -> say "From nine to five."
      on /7/ -> say "One moment." then call transfer {"destination": "Front desk", "reason": "asked"}
      after transfer -> say "The desk is busy."
      on /9/ -> say "Goodbye." then call hangup {"reason": "asked"}
      on /.*/ -> say "Please say that again."`,
    systemTools: ["hangup", "transfer"],
    greeting: { text: "Hello, this is the clinic." },
  });
  const channel = await app.send("POST", "/api/v1/channels/", {
    name: "Asterisk",
    channel_service: "sip",
    config: { provider_credentials: { carrier: "asterisk", socket_password: PASSWORD } },
  });
  expect(channel.status, JSON.stringify(channel.body)).toBe(200);
  channel_id = channel.body.id;
  const body = { agent_id, channel_id, target: EXTENSION, target_mode: "voice" };
  const target = await app.send("POST", `/api/v1/channels/${channel_id}/targets`, body);
  expect(target.status, JSON.stringify(target.body)).toBe(200);
  return stop;
});

const address = (query: string) => `${url}/carriers/asterisk/${channel_id}/stream?${query}`;
const authorization = (password: string) => `Basic ${Buffer.from(`parley:${password}`).toString("base64")}`;

/** chan_websocket's end, with f(json): plays at once what it is sent. */
async function dial(id: string, { to = EXTENSION, format = "slin16" } = {}) {
  const query = new URLSearchParams({ id, from: "+14155550199", to });
  const headers = { authorization: authorization(PASSWORD) };
  const socket = new WebSocket(address(String(query)), "media", { headers });
  const heard: number[] = [];
  const commands: string[] = [];
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  socket.on("message", (data, isBinary) => {
    if (isBinary) return heard.push((data as Buffer).length);
    const { command, correlation_id } = JSON.parse(String(data));
    commands.push(command);
    if (command === "STOP_MEDIA_BUFFERING")
      socket.send(JSON.stringify({ event: "MEDIA_BUFFERING_COMPLETED", correlation_id }));
    if (command === "HANGUP") socket.close(1000);
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const start = { connection_id: `c${id}`, channel: "WebSocket/parley", channel_id: id, format };
  socket.send(JSON.stringify({ event: "MEDIA_START", ...start, optimal_frame_size: 640, ptime: 20 }));
  return { socket, heard, commands, closed };
}

const upgrade = (header: string | undefined) =>
  new Promise((resolve) =>
    new WebSocket(address(`id=x&from=a&to=${encodeURIComponent(EXTENSION)}`), {
      headers: header === undefined ? {} : { authorization: header },
    })
      .on("unexpected-response", (_request, { statusCode }) => resolve(statusCode))
      .on("open", () => resolve("open")),
  );
const rowsOf = (sid: string) => app.db.selectFrom("calls").selectAll().where("sid", "=", sid).execute();
const transcript = async (sid: string): Promise<string[]> => {
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${(await rowsOf(sid))[0]?.session_id}`);
  return body.transcription.map((line: { source: string; text: string }) => `${line.source}: ${line.text}`);
};

test("a call that the dialplan dials to us is heard, answered and hung up", async () => {
  const line = await dial("1700000000.1");
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  const voice = bytesOf(tone(200, { rate: 16_000, ms: 20 }));
  // Frames of any length; one that ends inside of a sample is none.
  for (let n = 0; n < 10; n++) line.socket.send(Buffer.concat([voice, voice]));
  line.socket.send(voice.subarray(1));
  line.socket.send("NO SUCH EVENT");
  for (let n = 0; n < 10; n++) line.socket.send(Buffer.alloc(640));
  await expect
    .poll(() => transcript("1700000000.1"))
    .toEqual(["agent: Hello, this is the clinic.", "user: when are you open", "agent: From nine to five."]);
  expect(new Set(line.heard)).toEqual(new Set([640]));
  line.socket.send(JSON.stringify({ event: "DTMF_END", digit: "9", duration_ms: 100 }));
  await line.closed;
  expect(line.commands.at(-1)).toBe("HANGUP");
  await expect.poll(async () => (await rowsOf("1700000000.1"))[0]?.state).toBe("ended");
});

test("a socket with a wrong password or none is refused before it opens, and logged", async () => {
  const logged = () => app.logged.filter((line) => line.includes("wrong password was refused")).length;
  for (const header of [undefined, authorization("no"), "Bearer x"]) expect(await upgrade(header)).toBe(403);
  expect(logged()).toBe(3);
  expect(await rowsOf("x")).toEqual([]);
});

test("a second socket of one call, a call for nobody and another codec are closed; the call goes on", async () => {
  const line = await dial("1700000000.2");
  await expect.poll(() => line.heard.length).toBeGreaterThan(0);
  expect(await (await dial("1700000000.2")).closed).toBe(1008);
  expect(await (await dial("1700000000.3", { to: "+15125550000" })).closed).toBe(1008);
  expect(await (await dial("1700000000.4", { format: "ulaw" })).closed).toBe(1008);
  expect(line.socket.readyState).toBe(WebSocket.OPEN);
  expect(await rowsOf("1700000000.2")).toHaveLength(1);
  line.socket.close();
});

/** The dialplan's question by CURL(). */
const next = async (form: Record<string, string>, password = PASSWORD) => {
  const answer = await fetch(`${url.replace("ws", "http")}/carriers/asterisk/${channel_id}/next`, {
    method: "POST",
    headers: {
      authorization: authorization(password),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(form),
  });
  return answer.status === 200 ? answer.text() : answer.status;
};

test("a transfer is dialled by the dialplan, and the caller comes back to the agent when nobody is there", async () => {
  const id = "1700000000.5";
  const line = await dial(id);
  await expect.poll(() => line.heard.length).toBeGreaterThanOrEqual(20);
  line.socket.send(JSON.stringify({ event: "DTMF_END", digit: "7", duration_ms: 100 }));
  await line.closed;
  expect(await next({ id })).toBe("dial,+14155550100");
  expect(await next({ id, dialed: "BUSY" })).toBe("again");
  const again = await dial(id);
  await expect.poll(() => transcript(id)).toContain("agent: The desk is busy.");
  again.socket.close(1000);
  expect(await next({ id, over: "1" })).toBe("hangup");
  await expect.poll(async () => (await rowsOf(id))[0]?.state).toBe("ended");
  expect(await next({ id })).toBe("hangup");
});

test("what follows is told to the channel's own password alone, and a call that is none of ours is hung up", async () => {
  expect(await next({ id: "1700000000.5" }, "no")).toBe(403);
  expect(await next({ id: "9.9" })).toBe("hangup");
  expect(await next({})).toBe(400);
});
