import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createVault } from "../../src/base/crypto.ts";
import { simulatedAccount } from "../../src/carriers/simulator-account.ts";
import { signature } from "../../src/simulator/callbacks.ts";
import { WAITING } from "../harness/waiting.ts";
import { newFolder, parley, send, until } from "./program.ts";

const SESSIONS = "/api/v1/sessions/?search_fields=channel_manager_sid&search_field_values=CA1";
const SECRET_KEY = "a key for this test that is long enough for anyone";

test("kill -9 in the middle of a call: the next start ends its session, and keeps what was said", async () => {
  const folder = newFolder();
  const env = { SECRET_KEY };
  const program = parley(["start"], { folder, env });
  const { url, token = "" } = await program.ready();
  const key = { "service-api-key": token };
  const api = async (method: string, path: string, body?: object) => {
    const answer = await send(method, `${url}${path}`, body, key);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  const channel = await api("POST", "/api/v1/channels/", {
    name: "Phone",
    channel_service: "twilio",
    config: {},
  });
  const { phone_number: number } = await api("POST", `/api/v1/channels/twilio/${channel.id}/numbers`, {
    area_code: "512",
    friendly_name: "Clinic",
  });
  const [agent] = (await api("GET", "/api/v1/agents/")).items;
  await api("POST", `/api/v1/channels/${channel.id}/targets`, {
    agent_id: agent.id,
    channel_id: channel.id,
    target: number,
    target_mode: "voice",
  });

  const sources = async (): Promise<string[]> => {
    const { items } = await api("GET", SESSIONS);
    const { transcription } = await api("GET", `/api/v1/sessions/transcript/${items[0].session_id}`);
    return transcription.map(({ source }: { source: string }) => source);
  };
  const line = await ring(url, channel.id, number);
  line.setUp();
  await until(() => line.heard.length > 0);
  line.say("When are you open?");
  await until(() => line.heard.some((text) => text.includes("Monday to Friday")));
  // Words are spoken as they come; they are kept from when their turn is stored, a moment later.
  await vi.waitFor(async () => expect(await sources()).toEqual(["agent", "user", "agent"]), WAITING);
  await program.end("SIGKILL");

  const again = parley(["start"], { folder, env: { ...env, PORT: new URL(url).port } });
  await again.ready();
  const session = await vi.waitFor(async () => {
    const { items } = await api("GET", SESSIONS);
    expect(items).toMatchObject([{ duration: expect.any(Number) }]);
    return items[0];
  }, WAITING);
  expect(session).toMatchObject({ user_terminated: false, target: number });
  expect(await sources()).toEqual(["agent", "user", "agent"]);
  await again.end("SIGTERM");
});

/** A call as the carrier brings it: a signed request, then the signed socket it is told to open. */
async function ring(url: string, channel_id: number, number: string) {
  const { auth_token = "" } = simulatedAccount(createVault(SECRET_KEY), channel_id);
  const base = `${url}/carriers/twilio/${channel_id}`;
  const form = { AccountSid: "AC1", CallSid: "CA1", From: "+14155550199", To: number, CallStatus: "ringing" };
  const answer = await fetch(`${base}/voice`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signature(auth_token, `${base}/voice`, form),
    },
    body: new URLSearchParams(form),
  });
  const markup = await answer.text();
  const parameter = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(markup)?.[1];
  const relay = `${base.replace("http", "ws")}/calls/CA1/relay`;
  const socket = new WebSocket(relay, {
    headers: { "x-twilio-signature": signature(auth_token, relay, {}) },
  });
  const heard: string[] = [];
  socket.on("message", (frame) => {
    const message = JSON.parse(String(frame));
    if (message.type === "text") heard.push(message.token);
  });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.on("open", resolve));
  const tell = (message: object) => socket.send(JSON.stringify(message));
  return {
    heard,
    setUp() {
      const customParameters = { call_id: parameter("call_id"), token: parameter("token") };
      tell({ type: "setup", sessionId: "VX1", callSid: "CA1", customParameters });
    },
    say(text: string) {
      tell({ type: "info", name: "agentSpeaking", value: "off" });
      tell({ type: "prompt", voicePrompt: text, lang: "en-US", last: true });
    },
  };
}
