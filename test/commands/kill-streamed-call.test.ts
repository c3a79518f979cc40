import { globSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { WAV_HEAD_BYTES } from "../../src/audio/wav.ts";
import { SEALED_HEAD_BYTES } from "../../src/data-keys/sealed-file.ts";
import { spokenText } from "../../src/simulator/caller-audio.ts";
import { createLocalSpeaking } from "../../src/speech/local/local-speaking.ts";
import { afterFile } from "../harness/after-file.ts";
import { createAgent } from "../harness/agent.ts";
import type { TestApp } from "../harness/app.ts";
import { createTestDatabase } from "../harness/database.ts";
import { freePort } from "../harness/free-port.ts";
import { createRandom } from "../harness/fuzz/random.ts";
import { deepgramDouble } from "../harness/hearing-doubles.ts";
import { createPeer, json } from "../harness/peer.ts";
import { rounds, SEED } from "../harness/seed.ts";
import { StreamCaller } from "../harness/stream-caller.ts";
import { WAITING } from "../harness/waiting.ts";
import { newFolder, type Program, parley, send, until } from "./program.ts";

const KILLS = rounds(1, 20);
const TOKEN = "a-token-of-an-administrator-of-this-test";
const NUMBER = "+15125550177";
const PUBLIC_URL = "http://parley.example.com";
const GREETING = "Hello, this is the clinic. How can I help you?";
const QUESTION = "when are you open";
const ANSWER = "We are open from nine to five on every day but Sunday.";
const AGAIN = "Please say that again.";
const HEADS_BYTES = WAV_HEAD_BYTES + SEALED_HEAD_BYTES;

/** What is going on when the process is killed. */
const MOMENTS = ["the model's silence", "the answer", "their question", "the greeting", "a silence"] as const;

const random = createRandom(SEED);

test(`kill -9 amid streamed calls, ${KILLS} times: each goes on at the other process, nothing is said twice or invented, and it ends properly (seed ${SEED})`, async () => {
  const database = await createTestDatabase();
  afterFile(() => database.drop());
  const { host, user, port } = database.config;
  const folder = newFolder();
  const twilio = await createPeer();
  const own = { sid: "PN1", phone_number: NUMBER, friendly_name: "Clinic" };
  twilio.respond(({ path }, response) =>
    json(response, 200, path.includes("PN1") ? own : { incoming_phone_numbers: [own] }),
  );
  const deepgram = await deepgramDouble();
  const env = {
    DATABASE_URL: `postgres://${user}@localhost/${database.name}?host=${host}&port=${port}`,
    DATA_DIR: `${folder}/data`,
    SECRET_KEY: "one key for both processes of this test",
    PUBLIC_URL,
    BOOTSTRAP_API_TOKEN: TOKEN,
    EGRESS_ALLOW: "127.0.0.1",
    TWILIO_BASE_URL: twilio.url,
    DEEPGRAM_API_KEY: "deepgram",
    DEEPGRAM_BASE_URL: deepgram.url,
    VOICE_SPEAKING: "offline",
  };
  const programs: { program: Program; url: string }[] = [];
  const started = async (at: number) => {
    // What it prints is the public address, which says nothing of its port.
    const port = await freePort();
    const program = parley(["start"], { folder, env: { ...env, PORT: String(port) } });
    await program.ready();
    programs[at] = { program, url: `http://127.0.0.1:${port}` };
  };
  await started(0);
  await started(1);
  let asked = 0;
  const api = (method: string, path: string, body?: object) =>
    send(method, `${programs[asked]?.url}${path}`, body, { "service-api-key": TOKEN });
  const { agent_id } = await createAgent({ send: api } as unknown as TestApp, {
    script: `
      on /open/ -> wait 600ms then say ${JSON.stringify(ANSWER)}
      on /.*/ -> say ${JSON.stringify(AGAIN)}`,
    greeting: { text: GREETING },
  });
  const channel = await api("POST", "/api/v1/channels/", {
    name: "Streamed",
    channel_service: "twilio",
    config: {
      account_sid: "AC1",
      auth_token: "secret",
      telephony: { audio: "stream", pre_input_timeout: 0 },
    },
  });
  expect(channel.status, JSON.stringify(channel.body)).toBe(200);
  const channel_id = channel.body.id as number;
  const target = await api("POST", `/api/v1/channels/${channel_id}/targets`, {
    agent_id,
    channel_id,
    target: NUMBER,
    target_mode: "voice",
  });
  expect(target.status, JSON.stringify(target.body)).toBe(200);

  const pool = new pg.Pool({ ...database.config, max: 2 });
  // A connection that is still ending is cut off with the database.
  pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
  afterFile(() => pool.end());
  const mouth = createLocalSpeaking({ threads: 1 });
  afterFile(() => mouth.close());
  const question = await spokenText(mouth, QUESTION);
  const pauses: number[] = [];

  for (let kill = 0; kill < KILLS; kill++) {
    const [holder, other] = [kill % 2, (kill + 1) % 2];
    const moment = MOMENTS[(SEED + kill) % MOMENTS.length] as (typeof MOMENTS)[number];
    const sid = `CA${kill}`;
    const caller = new StreamCaller({
      at: programs[holder]?.url ?? "",
      publicUrl: PUBLIC_URL,
      auth_token: "secret",
      account_sid: "AC1",
      channel_id,
      sid,
      from: "+14155550199",
      to: NUMBER,
    });
    await caller.ring();
    await until(() => caller.isHearing);
    const quiet = () => until(() => !caller.isHearing && !caller.isSpeaking);
    if (moment !== "the greeting") {
      await quiet();
      caller.say(question, mouth.rate);
    }
    if (moment === "the model's silence") await until(() => !caller.isSpeaking);
    if (moment === "the answer" || moment === "a silence") {
      await quiet();
      await until(() => caller.isHearing);
    }
    if (moment === "a silence") await quiet();
    await sleep(random.int(600));
    caller.moveTo(programs[other]?.url ?? "");
    asked = other;
    const before_kill = storedMs(`${folder}/data`);
    const killed_at = performance.now();
    await programs[holder]?.program.end("SIGKILL");
    const label = `kill ${kill} amid ${moment}`;
    await until(() => caller.lines === 2 && caller.firstSound !== null).catch(() => {
      throw new Error(`${label}: the call did not go on: ${caller.next}`);
    });
    pauses.push((caller.firstSound ?? 0) - killed_at);
    // The caller waits until the agent has nothing more to say, and asks once more.
    let before: string[] = [];
    for (let still = 0; still < 15; still++) {
      await sleep(100);
      const now = await transcript(pool, sid);
      const isStill = !caller.isHearing && !caller.isSpeaking && now.length === before.length;
      if (!isStill || !now.at(-1)?.startsWith("agent: ")) still = 0;
      before = now;
    }
    caller.say(question, mouth.rate);
    await vi.waitFor(async () => {
      const lines = (await transcript(pool, sid)).slice(before.length);
      // On a busy machine, their voice may be torn into two turns.
      expect(lines[0], label).toMatch(/^user: /);
      expect(lines.at(-1), label).toMatch(/^agent: /);
    }, WAITING);
    await quiet();
    caller.hangUp();
    await vi.waitFor(
      async () =>
        expect(await sessionOf(pool, sid)).toMatchObject({ state: "ended", leg: 2, end_reason: "user" }),
      WAITING,
    );
    const lines = await transcript(pool, sid);
    expect(
      lines.filter((line) => /^agent: Hello/.test(line)),
      `${label}: ${lines.join(" | ")}`,
    ).toHaveLength(1);
    for (const line of lines) expect(isOurs(line), `${label}: ${line}`).toBe(true);
    // A turn is one message of theirs and one answer, however often it was begun.
    const turns = Map.groupBy(await saidIn(pool, sid), ({ turn_index }) => turn_index);
    for (const [, said] of turns)
      expect(new Set(said.map(({ role }) => role)).size, `${label}: ${lines.join(" | ")}`).toBe(said.length);
    const { session_id, hearing_ms } = await sessionOf(pool, sid);
    // Since it spoke, the other process heard and recorded all.
    const heard_ms = (caller.sentOnLine - caller.sentUnanswered) * 20;
    // Nothing was heard twice. What the dead process had not stored yet is lost.
    expect(hearing_ms).toBeLessThanOrEqual(caller.sent * 20 + 100);
    expect(hearing_ms).toBeGreaterThanOrEqual(heard_ms);
    // The recordings of both lines are the session's, the one of the process that lived is whole, and none is there twice.
    const { recordings } = await vi.waitFor(async () => {
      const { body } = await api("GET", `/api/v1/sessions/${session_id}/waveform`);
      expect(body.recordings.at(-1)?.duration_ms ?? 0).toBeGreaterThanOrEqual(heard_ms);
      return body;
    }, WAITING);
    const recorded_ms = recordings.reduce(
      (sum: number, one: { duration_ms: number }) => sum + one.duration_ms,
      0,
    );
    expect(recordings.length).toBeLessThanOrEqual(2);
    // What was on the disk before the kill is kept, beside what the living process heard.
    expect(recorded_ms).toBeGreaterThanOrEqual(before_kill + heard_ms);
    expect(recorded_ms).toBeLessThan(caller.sent * 20 + 3000);
    if (kill < KILLS - 1) await started(holder);
  }
  const sorted = pauses.toSorted((a, b) => a - b).map(Math.round);
  process.stdout.write(`from the kill to the first sound, ms: ${sorted.join(" ")}\n`);
});

/** How much the recordings hold that a process is still writing: two sides of 16 bits at 8 kHz, without their heads. */
function storedMs(data: string): number {
  const parts = globSync(`${data}/recordings/*.part`);
  const bytes = parts.reduce((sum, part) => sum + Math.max(0, statSync(part).size - HEADS_BYTES), 0);
  return bytes / 4 / 8;
}

/** What may stand in a transcript: our texts, whole or cut off at a word, and words that were said. */
function isOurs(line: string): boolean {
  const [, role, text = ""] = /^(\w+): (.*?)(?: ?—)?$/.exec(line) ?? [];
  if (role === "user") return text.split(" ").every((word) => QUESTION.split(" ").includes(word));
  return [GREETING, ANSWER, AGAIN].some((whole) => whole.startsWith(text));
}

type Said = { role: string; text: string; turn_index: number };

async function saidIn(pool: pg.Pool, sid: string): Promise<Said[]> {
  const { rows } = await pool.query(
    `select m.role, m.text, m.turn_index from session_messages m join calls c on c.session_id = m.session_id
     where c.sid = $1 and not m.aside order by m.seq`,
    [sid],
  );
  return rows;
}

const transcript = async (pool: pg.Pool, sid: string): Promise<string[]> =>
  (await saidIn(pool, sid)).map(({ role, text }) => `${role}: ${text}`);

async function sessionOf(pool: pg.Pool, sid: string) {
  const { rows } = await pool.query(
    `select s.id as session_id, c.state, c.leg, s.end_reason, s.hearing_ms from calls c
     join sessions s on s.id = c.session_id where c.sid = $1`,
    [sid],
  );
  return rows[0];
}
