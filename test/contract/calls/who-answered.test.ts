import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { WebSocket } from "@fastify/websocket";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { Framer } from "../../../src/audio/frames.ts";
import { encodeUlaw } from "../../../src/audio/g711.ts";
import { join, mix } from "../../../src/audio/level.ts";
import { beep, noise, silence, specialInformationTone, tone } from "../../../src/audio/tones.ts";
import { holdStream } from "../../../src/calls/lines/stream-line.ts";
import { twilioWire } from "../../../src/calls/lines/twilio-wire.ts";
import type { VoiceEngines } from "../../../src/media/voice-engines.ts";
import type { Heard } from "../../../src/speech/hearing.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import {
  quiet as atRest,
  createNumber,
  endOf,
  eventsOf,
  incoming,
  transcriptOf,
} from "../../harness/phone.ts";
import { voiceTry } from "../../harness/voice-try.ts";

const RATE = 8000;
const MESSAGE = "Hello, this is the clinic. Please call us back.";
const GREETING = "Hello, this is the clinic. Is this a good time?";
const PERSON = "+14155550142";
const V1 = { mode: "v1" };

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

/** The carrier's end of a stream, without a network: frames go in one by one, on the test's clock. */
class CarrierSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  /** When each frame of ours was sent. */
  readonly audio_at: number[] = [];
  #chunk = 0;

  send(text: string): void {
    const message = JSON.parse(text);
    if (message.event === "media") this.audio_at.push(app.clock.now().getTime());
    if (message.event === "mark") process.nextTick(() => this.tell({ event: "mark", mark: message.mark }));
  }
  close(): void {
    this.readyState = 3;
    this.emit("close");
  }
  tell(message: object): void {
    if (this.readyState === 1)
      this.emit("message", Buffer.from(JSON.stringify({ ...message, streamSid: "MZ1" })), false);
  }
  /** Plays these samples to us, in the time they take: two frames a message, for a thousand messages a second are a flood. */
  async plays(samples: Int16Array): Promise<void> {
    const frames = new Framer(RATE).push(samples);
    for (let at = 0; at < frames.length; at += 2) {
      const both = frames.slice(at, at + 2);
      const payload = Buffer.from(encodeUlaw(join(both))).toString("base64");
      const chunk = String(++this.#chunk);
      this.tell({ event: "media", media: { track: "inbound", chunk, timestamp: chunk, payload } });
      for (const _frame of both) {
        app.clock.advance(20);
        await setImmediate();
      }
    }
  }
}

/** A voice, as far as cadence goes. */
function voice(ms: number): Int16Array {
  const sound = { rate: RATE, ms, level_db: -20 };
  return mix(mix(tone(170, sound), tone(440, sound)), noise(3, { rate: RATE, ms, level_db: -24 }));
}
const quiet = (ms: number) => noise(5, { rate: RATE, ms, level_db: -62 });

async function called(voicemail_detection: Record<string, unknown> | null, script?: string) {
  const target = await createNumber(app, {
    script:
      script ??
      `on start -> call leave_voicemail {"message": "${MESSAGE}"}
       on /name/ -> say "This is the clinic, about your visit."
       otherwise -> say "You said {user.text}."`,
    systemTools: ["leave_voicemail"],
    greeting: { text: GREETING },
  });
  const config = JSON.stringify({ telephony: { audio: "stream" } });
  await app.db.updateTable("channels").set({ config }).where("id", "=", target.channel_id).execute();
  const { key, voiceCalls: calls, signals } = voiceTry(app, target, { target: PERSON, voicemail_detection });
  const call = incoming(PERSON, { key, from: target.number });
  const answered = await calls.answer(call);
  if (!answered || "dial" in answered) throw new Error("not answered");
  expect(answered.is_streamed).toBe(true);
  let ear: (heard: Heard) => void = () => {};
  const spoken: string[] = [];
  const engines: VoiceEngines = {
    missing: null,
    detection: null,
    hearing: {
      name: "told by the test",
      open: (_listening, tell) => {
        ear = tell;
        return { push() {}, close() {} };
      },
    },
    speaking: {
      name: "a tone",
      rate: RATE,
      async *speak({ text }) {
        spoken.push(text);
        yield { samples: tone(300, { rate: RATE, ms: 400 }), aligned: [] };
      },
    },
  };
  const socket = new CarrierSocket();
  holdStream(
    { calls, engines, clock: app.clock, log: app.engine.log, soundAt: () => null, wire: twilioWire() },
    socket as unknown as WebSocket,
  );
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: RATE, channels: 1 };
  const customParameters = { call_id: answered.call_id, token: answered.token };
  socket.tell({ event: "start", start: { callSid: call.sid, mediaFormat, customParameters } });
  const row = () =>
    app.db
      .selectFrom("calls")
      .selectAll()
      .where("id", "=", Number(answered.call_id))
      .executeTakeFirstOrThrow();
  await expect.poll(async () => (await row()).state).toBe("open");
  const { session_id } = await row();
  // The line is told that it is open just after that is stored.
  await expect.poll(() => socket.listenerCount("message")).toBe(1);
  await socket.plays(quiet(100));
  return {
    socket,
    calls,
    call,
    signals,
    spoken,
    session_id,
    channel_id: target.channel_id,
    says: (text: string) => {
      ear({ type: "speech_stopped", at_ms: 0 });
      ear({ type: "final", text });
    },
  };
}

const notes = async (session_id: number) => {
  const { rows } = await sql<{ label: string; details: { reason?: string }; duration_ms: number }>`
    select label, details, duration_ms from session_trace
    where session_id = ${session_id} and (label like 'answered by%' or label = 'voicemail records')
    order by id`.execute(app.db);
  return rows;
};

test("a message is made while a voicemail announces itself, and begins within half a second after its beep, never before", async () => {
  const { socket, signals, spoken, session_id, says } = await called(V1);
  await socket.plays(voice(1500));
  says("You have reached the Smiths. Please leave a message after the tone.");
  await expect.poll(() => spoken).toEqual([MESSAGE]);
  // The announcement goes on, and nothing is said over it.
  await socket.plays(join([voice(900), quiet(700)]));
  expect(socket.audio_at).toEqual([]);
  await socket.plays(beep(RATE));
  expect(socket.audio_at).toEqual([]);
  const beep_over = app.clock.now().getTime();
  await socket.plays(quiet(600));
  const wait_ms = (socket.audio_at[0] ?? Infinity) - beep_over;
  expect(wait_ms).toBeGreaterThanOrEqual(0);
  expect(wait_ms).toBeLessThanOrEqual(500);
  await socket.plays(quiet(1500));
  expect(await endOf(app, session_id)).toMatchObject({ end_reason: "agent" });
  expect(await eventsOf(app, session_id, "voicemail-left")).toHaveLength(1);
  expect(signals).toMatchObject([{ status: "MACHINE" }]);
  expect(await notes(session_id)).toMatchObject([
    { label: "answered by: voicemail", details: { reason: "words" } },
    { label: "voicemail records", details: { reason: "beep" } },
  ]);
});

test("a voicemail without a beep gets its message after three seconds of silence", async () => {
  const { socket, spoken, session_id, says } = await called(V1);
  await socket.plays(voice(1500));
  says("Please leave a message.");
  await expect.poll(() => spoken).toEqual([MESSAGE]);
  await socket.plays(quiet(2500));
  expect(socket.audio_at).toEqual([]);
  await socket.plays(quiet(3500));
  expect(socket.audio_at.length).toBeGreaterThan(0);
  await endOf(app, session_id);
});

test("a person is greeted as soon as their hello is over, sooner than by silence alone", async () => {
  const { socket, signals, session_id, says } = await called(V1);
  await socket.plays(voice(500));
  const hello_over = app.clock.now().getTime();
  await socket.plays(quiet(500));
  says("Hello?");
  await socket.plays(quiet(600));
  await expect.poll(() => signals).toMatchObject([{ status: "HUMAN" }]);
  expect(app.clock.now().getTime() - hello_over).toBeLessThanOrEqual(1500);
  await expect.poll(() => transcriptOf(app, session_id)).toEqual(["user: Hello?", `agent: ${GREETING}`]);
  socket.close();
});

test("the carrier's word that comes after ours changes nothing", async () => {
  const { socket, signals, session_id, says, calls, call, channel_id } = await called(V1);
  await socket.plays(join([voice(500), quiet(500)]));
  says("Hello?");
  await socket.plays(quiet(600));
  await expect.poll(() => signals.length).toBe(1);
  const machine = { status: "MACHINE", word: "machine_start", error_code: null, is_transient: null } as const;
  await calls.signal({ ...machine, key: call.key, sid: call.sid, at: app.clock.now() }, channel_id);
  expect(await calls.knowsAnswerer(call.sid, channel_id)).toBe(true);
  await expect.poll(() => transcriptOf(app, session_id)).toContain(`agent: ${GREETING}`);
  const { answerer } = await app.db
    .selectFrom("calls")
    .select("answerer")
    .where("session_id", "=", session_id)
    .executeTakeFirstOrThrow();
  expect(answerer).toBe("HUMAN");
  socket.close();
});

test.each([
  ["a fax", tone(2100, { rate: RATE, ms: 1200 }), "fax"],
  [
    "a number that the network can't reach",
    join([specialInformationTone(RATE), silence(RATE, 300)]),
    "unavailable",
  ],
])("%s ends the call, even where nobody asked for voicemail detection", async (_what, sound, by) => {
  const { socket, session_id } = await called(null);
  await socket.plays(sound);
  expect(await endOf(app, session_id)).toMatchObject({ end_reason: "agent" });
  await expect.poll(() => notes(session_id)).toMatchObject([{ label: `answered by: ${by}` }]);
});

test("without voicemail detection the greeting waits for nobody's verdict", async () => {
  const { socket, spoken, session_id } = await called(null);
  await expect.poll(() => spoken.length).toBeGreaterThan(0);
  await expect.poll(() => transcriptOf(app, session_id)).toEqual([`agent: ${GREETING}`]);
  socket.close();
});

test("a screener is told who calls and why, and whoever it brings is talked with", async () => {
  const { socket, spoken, signals, session_id, says } = await called(V1);
  await socket.plays(voice(1500));
  says("Please state your name and the reason for your call.");
  await socket.plays(quiet(2600));
  await expect.poll(() => spoken).toEqual(["This is the clinic, about your visit."]);
  await atRest(app, session_id);
  await socket.plays(quiet(1000));
  says("Thank you. Please hold.");
  await socket.plays(quiet(900));
  // Half a minute of nothing.
  app.clock.advance(30_000);
  expect(spoken).toHaveLength(1);
  expect(signals).toEqual([]);
  await socket.plays(voice(400));
  says("Yes, hello?");
  await socket.plays(quiet(900));
  await expect.poll(() => spoken.slice(1)).toEqual(["You said Yes, hello?."]);
  expect(signals).toMatchObject([{ status: "HUMAN" }]);
  expect((await transcriptOf(app, session_id))[1]).toBe("agent: This is the clinic, about your visit.");
  socket.close();
});
