import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { FRAME_MS } from "../../src/audio/frames.ts";
import { createLocalEngines } from "../../src/media/local-engines.ts";
import { isLoud } from "../../src/simulator/caller-ear.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { PageCaller, speech } from "../harness/page-caller.ts";
import { runClock } from "../harness/run-clock.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

const SCRIPT = `
on /open/ -> say "We are open from eight in the morning to five in the afternoon, on every day but Sunday."
on /appointment/ -> say "For what day?"
on /.*/ -> say "Please say that again."
`;

let engines: ReturnType<typeof createLocalEngines>;
let app: TestApp;
let url: string;
let client_id: string;
let understands = false;
let stopClock: () => void;

beforeAll(async () => {
  const sphinx = await sphinxFiles();
  understands = sphinx !== null;
  engines = createLocalEngines({ sphinx });
  app = await createTestApp({}, undefined, { voiceEngines: engines });
  stopClock = runClock(app.clock);
  url = await app.listen();
  const agent = await createAgent(app, { script: SCRIPT });
  client_id = agent.target;
});
afterAll(async () => {
  stopClock();
  await engines.close();
});

const allow = async (browser_calls: boolean) => {
  const { channel_id, id } = (await app.send("GET", `/api/v1/channels/targets?target=${client_id}`)).body
    .items[0];
  return app.send("PUT", `/api/v1/channels/${channel_id}/targets/${id}/browser_calls`, { browser_calls });
};
const voiceSessions = async () => (await app.send("GET", "/api/v1/sessions/")).body.items;
const ask = () => app.send("POST", "/chat/v1/calls", { client_id });

/** From the first loud frame on. */
const sounding = (frames: readonly Int16Array[]) =>
  frames.slice(
    Math.max(
      0,
      frames.findIndex((frame) => frame.some((sample) => Math.abs(sample) > 500)),
    ),
  );
const msOf = (frames: readonly Int16Array[]): number =>
  frames.reduce((samples, { length }) => samples + length, 0) / 16;

describe("a call from a page", () => {
  test("is refused until the target allows it, in a sentence", async () => {
    const refused = await ask();
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toContain("takes no calls from its page");
    expect((await allow(true)).status).toBe(200);
  });

  test("a spoken question is answered aloud, and both stand in the transcript", async (context) => {
    if (!understands) return context.skip();
    await allow(true);
    // Made before the call: on a busy machine it takes longer than a caller may be silent.
    const question = await speech(engines.speaking, "When are you open?");
    const interruption = await speech(engines.speaking, "wait, i want to book an appointment");
    const { status, body } = await ask();
    expect(status).toBe(200);
    const caller = await PageCaller.call(url, body, engines.speaking);
    await caller.play(question);
    await caller.agentSays("We are open");
    await caller.until(() => caller.isHearing);
    const heardBeforeCut = caller.until(() => caller.cleared > 0).then(() => msOf(sounding(caller.heard)));
    await caller.play(interruption);
    await caller.agentSays("For what day?");
    expect(caller.cleared).toBeGreaterThan(0);
    // Heard to its end: a busy machine leaves gaps in a sentence, and none as long as these two seconds.
    await caller.until(() => caller.isHearing);
    await caller.until(() => !caller.isHearing && !caller.heard.slice(-2000 / FRAME_MS).some(isLoud));
    caller.hangUp();
    // On a slow machine the caller's voice takes longer to come than a person may be silent.
    const said_aloud = caller.transcript.filter((line) => line !== "agent: Are you still there?");
    expect(said_aloud.map((line) => line.replace(/, on every day.*$/, ""))).toEqual([
      "user: when are you open",
      expect.stringMatching(/^agent: We are open from eight in the morning/),
      expect.stringMatching(/^agent: on every day/),
      "user: wait i want to book an appointment",
      "agent: For what day?",
    ]);
    await expect.poll(async () => (await voiceSessions())[0]?.end_reason).toBe("user");
    const [session] = await voiceSessions();
    expect(session).toMatchObject({
      channel_manager_type: "voice_browser_v1",
      verified: false,
      simulated: false,
    });
    const said = (await app.send("GET", `/api/v1/sessions/transcript/${session.session_id}`)).body;
    // Who spoke when, and how long an answer took, is in the trace and in the latency report.
    const { entries } = (await app.send("GET", `/api/v1/sessions/${session.session_id}/trace`)).body;
    const labels = entries.map(({ category, label }: Record<string, string>) => `${category}: ${label}`);
    expect(labels).toEqual(
      expect.arrayContaining([
        "stt: end of turn",
        "tts: first sound",
        "note: mouth to ear",
        "note: interrupted",
      ]),
    );
    const latency = (await app.send("GET", `/api/v1/sessions/latency/${session.session_id}`)).body;
    // Two at least: a pause that a busy machine tears into a sentence ends a turn without words.
    expect(latency.summary).toContainEqual(
      expect.objectContaining({
        category: "stt",
        sub_category: "end of turn",
        event_count: expect.toSatisfy((count: number) => count >= 2),
      }),
    );
    // Both sides were recorded, and each by itself.
    const pictureOf = async () =>
      (await app.send("GET", `/api/v1/sessions/${session.session_id}/waveform`)).body.recordings[0];
    await expect.poll(pictureOf).toBeTruthy();
    const picture = await pictureOf();
    expect(Math.max(...picture.caller)).toBeGreaterThan(10);
    expect(Math.max(...picture.agent)).toBeGreaterThan(10);
    const firstSound = (side: number[]) => side.findIndex((loud) => loud > 5);
    // The caller spoke first, for more than a second.
    expect(firstSound(picture.agent) - firstSound(picture.caller)).toBeGreaterThan(
      1000 / (picture.duration_ms / 400),
    );
    // What nobody heard stands in no transcript: spoken, it is no longer than what came out of the loudspeaker, but for the
    // place of a word in its sentence, which is told by its letters, and the end of a sentence.
    const stored = said.transcription[1].text.replace(/ —$/, "");
    const spoken_ms = msOf([await speech(engines.speaking, stored)]);
    expect(spoken_ms).toBeLessThan(1.25 * (await heardBeforeCut) + 600);
    // Where a slow machine asked whether they are there, it may have been cut off.
    const isAsking = (text: string) => "Are you still there?".startsWith(text.replace(/ ?—$/, ""));
    expect(said.transcription.filter(({ text }: { text: string }) => !isAsking(text))).toMatchObject([
      { source: "user", text: "when are you open" },
      { source: "agent", text: expect.stringMatching(/^We\b.* —$/) },
      { source: "user", text: "wait i want to book an appointment" },
      { source: "agent", text: "For what day?" },
    ]);
  });
});

describe("a call's socket", () => {
  const open = async () => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/chat/v1/calls/socket`);
    const told: string[] = [];
    socket.on("message", (data) => told.push(String(data)));
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    await new Promise((resolve) => socket.on("open", resolve));
    return { socket, told, closed };
  };

  test("of a wrong token, or opened twice, is refused and the call itself goes on", async () => {
    await allow(true);
    const { body } = await ask();
    const wrong = await open();
    wrong.socket.send(JSON.stringify({ type: "start", call_id: body.call_id, token: "no" }));
    expect(await wrong.closed).toBe(1008);
    const first = await open();
    first.socket.send(JSON.stringify({ type: "start", ...body }));
    await expect.poll(() => first.told.some((text) => text.includes("ready"))).toBe(true);
    const second = await open();
    second.socket.send(JSON.stringify({ type: "start", ...body }));
    expect(await second.closed).toBe(1008);
    expect(first.socket.readyState).toBe(WebSocket.OPEN);
    first.socket.close();
  });

  test("is there for each of many callers at once: they share its path, and nothing else", async () => {
    await allow(true);
    const calls = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const line = new WebSocket(`${url.replace("http", "ws")}/chat/v1/calls/socket`);
        await new Promise((resolve, reject) => line.on("open", resolve).on("error", reject));
        return line;
      }),
    );
    for (const line of calls) line.close();
  });

  test("that broke is opened again by its page, before or after we know; a page that stays away has hung up", async () => {
    await allow(true);
    const { body } = await ask();
    const start = async (token: string) => {
      const line = await open();
      line.socket.send(JSON.stringify({ type: "start", call_id: body.call_id, token }));
      const ready = () => line.told.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
      await expect.poll(() => ready().some(({ type }) => type === "ready")).toBe(true);
      return { ...line, again: ready().find(({ type }) => type === "ready").again as string };
    };
    const stateOf = async () =>
      app.db
        .selectFrom("calls")
        .select(["state", "leg"])
        .where("id", "=", Number(body.call_id))
        .executeTakeFirst();
    const first = await start(body.token);
    first.socket.terminate();
    await expect.poll(stateOf).toEqual({ state: "answered", leg: 2 });
    const second = await start(first.again);
    // Over another network, while the old line seems to stand.
    const third = await start(second.again);
    expect(await second.closed).toBe(1000);
    expect(await stateOf()).toEqual({ state: "open", leg: 3 });
    const late = await open();
    late.socket.send(JSON.stringify({ type: "start", call_id: body.call_id, token: first.again }));
    expect(await late.closed).toBe(1008);
    expect(third.socket.readyState).toBe(WebSocket.OPEN);
    third.socket.terminate();
    await expect.poll(stateOf).toEqual({ state: "answered", leg: 4 });
    app.clock.advance(40_000);
    await app.voiceCalls.settleAbandoned();
    expect((await voiceSessions())[0]).toMatchObject({ end_reason: "user" });
  });

  test("that sends what is no audio is closed, with a word why", async () => {
    await allow(true);
    const { socket, told, closed } = await open();
    socket.send(Buffer.alloc(641));
    expect(await closed).toBe(1008);
    expect(told.at(-1)).toContain("no audio of 16-bit samples");
  });
});
