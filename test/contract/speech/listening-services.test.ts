import { beforeAll, describe, expect, test } from "vitest";
import { tone } from "../../../src/audio/tones.ts";
import { parseEgressAllow } from "../../../src/egress/egress-allow.ts";
import { createSocketDoor, type SocketDoor } from "../../../src/egress/socket-door.ts";
import type { Ear, Heard, Hearing } from "../../../src/speech/hearing.ts";
import { assemblyAi } from "../../../src/speech/streaming/hear-assemblyai.ts";
import { deepgramFlux } from "../../../src/speech/streaming/hear-deepgram.ts";
import { openaiRealtime } from "../../../src/speech/streaming/hear-openai.ts";
import { hearingChain } from "../../../src/speech/streaming/hearing-chain.ts";
import { createRemoteHearing, EAR_TIMES } from "../../../src/speech/streaming/remote-ear.ts";
import { afterFile } from "../../harness/after-file.ts";
import { assemblyAiDouble, deepgramDouble, openaiDouble } from "../../harness/hearing-doubles.ts";
import type { SpeechServiceDouble } from "../../harness/speech-double.ts";

const FRAME = 320;
const VOICE = tone(300, { rate: 16_000, ms: 20 });
const SILENCE = new Int16Array(FRAME);
const ENGLISH = { language: "en-US", expected: ["check-up", "the vaccination"] };

/** Whoever is loud speaks. */
function loudness(tell: (heard: Heard) => void): Ear {
  let speaks = false;
  let at_ms = 0;
  return {
    push(frame) {
      at_ms += 20;
      const isLoud = frame.some((sample) => Math.abs(sample) > 2000);
      if (isLoud !== speaks) tell({ type: isLoud ? "speech_started" : "speech_stopped", at_ms });
      speaks = isLoud;
    },
    close() {},
  };
}

/** The last of a chain: knows that somebody speaks, and always hears the same. */
const standIn: Hearing = {
  name: "the stand-in",
  minute_usd: 0,
  open(_listening, tell) {
    return loudness((heard) => {
      tell(heard);
      if (heard.type === "speech_stopped") tell({ type: "final", text: "heard offline" });
    });
  },
};

let door: SocketDoor;
beforeAll(() => {
  const allowed = parseEgressAllow("127.0.0.1");
  if (!allowed.ok) throw new Error("no rules");
  door = createSocketDoor({ allow: allowed.rules });
  afterFile(() => door.close());
});

const SERVICES = [
  { service: deepgramFlux, open: deepgramDouble },
  { service: assemblyAi, open: assemblyAiDouble },
  { service: openaiRealtime, open: openaiDouble },
];

describe.each(SERVICES)("$service.name", ({ service, open }) => {
  let double: SpeechServiceDouble & { says(...sentences: string[]): void };
  beforeAll(async () => {
    double = await open();
  });

  function listen(times = EAR_TIMES, through = door) {
    const heard: Heard[] = [];
    const notes: string[] = [];
    const access = { api_key: "the key", base_url: double.url };
    const remote = createRemoteHearing({ service, access, door: through, detection: loudness, times });
    const ear = hearingChain([remote, standIn], (note) => notes.push(note)).open(ENGLISH, (told) =>
      heard.push(told),
    );
    /** Audio as it comes from a line, only faster. */
    const push = async (frame: Int16Array, ms: number) => {
      for (let at = 0; at < ms; at += 20) {
        ear.push(frame);
        if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const finals = () => heard.flatMap((told) => (told.type === "final" ? [told.text] : []));
    return { ear, heard, notes, push, finals };
  }

  test("tells words as they are recognized, then all of them, and who speaks", async () => {
    double.says("when are you open");
    const { ear, heard, push, finals, notes } = listen();
    await push(SILENCE, 200);
    await push(VOICE, 1000);
    await push(SILENCE, 600);
    await expect.poll(finals).toEqual(["when are you open"]);
    const types = heard.map(({ type }) => type);
    expect(types[0]).toBe("speech_started");
    expect(types).toContain("partial");
    expect(types).toContain("speech_stopped");
    expect(notes).toEqual([]);
    expect(JSON.stringify(double.sockets.at(-1)?.headers)).toContain("the key");
    expect(double.sockets.at(-1)?.path).not.toContain("the key");
    ear.close();
  });

  test("words that were taken before the service was sure of them are not told again", async () => {
    double.says("book an appointment", "for tomorrow please");
    const { ear, heard, push, finals } = listen();
    await push(VOICE, 700);
    await expect.poll(() => heard.filter(({ type }) => type === "partial").length).toBeGreaterThan(0);
    await expect
      .poll(() => heard.findLast((told) => told.type === "partial"))
      .toEqual({ type: "partial", text: "book an appointment" });
    ear.endTurn?.();
    await push(SILENCE, 600);
    await push(VOICE, 700);
    await push(SILENCE, 600);
    await expect.poll(finals).toEqual(["for tomorrow please"]);
    ear.close();
  });

  test("partials that shrink are told as they are, and the final words stand", async () => {
    double.says("book an appointment please");
    double.trouble({ type: "shrinks" });
    const { ear, push, finals } = listen();
    await push(VOICE, 700);
    await push(SILENCE, 600);
    await expect.poll(finals).toEqual(["book an appointment"]);
    ear.close();
  });

  test("a word that was none after all is taken back", async () => {
    double.says("yeah");
    double.trouble({ type: "empty" });
    const { ear, heard, push, finals } = listen();
    await push(VOICE, 300);
    await expect.poll(() => heard).toContainEqual({ type: "partial", text: "yeah" });
    await push(SILENCE, 600);
    await expect.poll(finals).toEqual([""]);
    ear.close();
  });

  test("a late answer is waited for", async () => {
    double.says("when are you open");
    double.trouble({ type: "late", ms: 300 });
    const { ear, push, finals, notes } = listen();
    await push(VOICE, 1200);
    await push(SILENCE, 600);
    await expect.poll(finals).toEqual(["when are you open"]);
    expect(notes).toEqual([]);
    ear.close();
  });

  test("a connection that closes in a sentence is opened again, and the sentence is heard to its end", async () => {
    double.says("when are you open");
    double.trouble({ type: "closes", after_ms: 400 });
    const { ear, push, finals, notes } = listen();
    await push(VOICE, 800);
    await expect.poll(() => notes.length).toBe(1);
    await push(VOICE, 200);
    await push(SILENCE, 600);
    await expect.poll(finals).toEqual(["when are you open"]);
    expect(notes[0]).toMatch(/closed the connection .* Tried once more\.$/);
    ear.close();
  });

  test("a service that refuses twice is replaced by the next for the rest of the call, and the trace is told", async () => {
    double.trouble({ type: "status", status: 401 }, { type: "status", status: 401 });
    const { ear, push, finals, notes } = listen();
    await push(VOICE, 600);
    await expect.poll(() => notes.length).toBe(2);
    await push(SILENCE, 600);
    await expect.poll(finals).toEqual(["heard offline"]);
    expect(notes[0]).toContain("the answer was 401");
    expect(notes[1]).toMatch(/the stand-in hears from now on\.$/);
    const sockets = double.sockets.length;
    await push(VOICE, 600);
    await push(SILENCE, 600);
    await expect.poll(() => finals().length).toBe(2);
    expect(double.sockets.length).toBe(sockets);
    ear.close();
  });

  test("a service that is silent though somebody spoke is replaced, and what was said is heard by the next", async () => {
    double.trouble({ type: "hangs" }, { type: "hangs" });
    const { ear, push, finals, notes } = listen({ connect_ms: 2000, answer_ms: 150 });
    await push(VOICE, 1500);
    await push(SILENCE, 400);
    await expect.poll(() => notes.length).toBe(2);
    await expect.poll(finals).toEqual(["heard offline"]);
    expect(notes.every((note) => note.includes("no answer within 150 ms"))).toBe(true);
    ear.close();
  });

  test("an address that egress does not allow is not called", async () => {
    const sockets = double.sockets.length;
    const closed = createSocketDoor({ allow: { hosts: [], networks: [] } });
    const { ear, notes } = listen(EAR_TIMES, closed);
    await expect.poll(() => notes.length).toBe(2);
    expect(notes[0]).toContain("EGRESS_ALLOW");
    expect(double.sockets.length).toBe(sockets);
    ear.close();
  });
});

test("what engines judge of turns is told by Flux and AssemblyAI", () => {
  const flux = deepgramFlux.reader();
  const info = (event: string, transcript: string) => flux({ type: "TurnInfo", event, transcript });
  expect(info("StartOfTurn", "")).toEqual([]);
  expect(info("EagerEndOfTurn", "Yes.")).toEqual([
    { type: "partial", text: "Yes." },
    { type: "turn", is: "probably_over" },
  ]);
  expect(info("TurnResumed", "Yes. And")).toEqual([
    { type: "turn", is: "resumed" },
    { type: "partial", text: "Yes. And" },
  ]);
  expect(info("EndOfTurn", "Yes. And no.")).toEqual([
    { type: "final", text: "Yes. And no." },
    { type: "turn", is: "over" },
  ]);
  expect(flux({ type: "Error", code: "X", description: "no such model" })).toEqual([
    { type: "fault", message: "no such model" },
  ]);
  expect(assemblyAi.reader()({ type: "Turn", end_of_turn: true, transcript: "Yes." })).toEqual([
    { type: "final", text: "Yes." },
    { type: "turn", is: "over" },
  ]);
});

test("each service is asked for the caller's language, with the names that are expected", () => {
  const access = { api_key: "k", base_url: "https://api.example.com/" };
  const { url } = deepgramFlux.connection(ENGLISH, access);
  expect(url).toMatch(
    /^wss:\/\/api\.example\.com\/v2\/listen\?model=flux-general-en&encoding=linear16&sample_rate=16000/,
  );
  expect(url).toContain("keyterm=check-up&keyterm=the+vaccination");
  const spanish = deepgramFlux.connection({ language: "es-US", expected: [] }, access).url;
  expect(spanish).toContain("model=flux-general-multi");
  expect(spanish).toContain("language_hint=es");
  expect(deepgramFlux.hears("ko-KR")).toBe(false);
  expect(assemblyAi.connection({ language: "es-US", expected: [] }, access).url).toContain(
    "speech_model=universal-streaming-multilingual",
  );
  expect(JSON.stringify(openaiRealtime.opening({ language: "fr-FR", expected: [] }))).toContain(
    '"language":"fr"',
  );
});
