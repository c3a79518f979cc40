import { beforeAll, describe, expect, test } from "vitest";
import { parseEgressAllow } from "../../../src/egress/egress-allow.ts";
import { createSocketDoor, type SocketDoor } from "../../../src/egress/socket-door.ts";
import type { Speaking, SpokenAudio, Utterance } from "../../../src/speech/speaking.ts";
import { createRemoteSpeaking, MOUTH_TIMES } from "../../../src/speech/streaming/remote-voice.ts";
import { cartesia } from "../../../src/speech/streaming/speak-cartesia.ts";
import { deepgramAura } from "../../../src/speech/streaming/speak-deepgram.ts";
import { elevenLabs } from "../../../src/speech/streaming/speak-elevenlabs.ts";
import { speakingChain } from "../../../src/speech/streaming/speaking-chain.ts";
import { afterFile } from "../../harness/after-file.ts";
import { deepgramDouble } from "../../harness/hearing-doubles.ts";
import { cartesiaDouble, elevenLabsDouble } from "../../harness/speaking-doubles.ts";
import type { SpeechServiceDouble } from "../../harness/speech-double.ts";

const TEXT = "We are open from nine to five.";
const SAY: Utterance = { text: TEXT, language: "en-US", voice: "Alice", speed: 1.1 };
/** Of the doubles: 60 ms a character. */
const SAMPLES_A_CHARACTER = 960;

let door: SocketDoor;
beforeAll(() => {
  const allowed = parseEgressAllow("127.0.0.1");
  if (!allowed.ok) throw new Error("no rules");
  door = createSocketDoor({ allow: allowed.rules });
  afterFile(() => door.close());
});

const SERVICES = [
  { service: elevenLabs, open: elevenLabsDouble, aligns: true },
  { service: cartesia, open: cartesiaDouble, aligns: true },
  { service: deepgramAura, open: deepgramDouble, aligns: false },
];

describe.each(SERVICES)("$service.name", ({ service, open, aligns }) => {
  let double: SpeechServiceDouble;
  beforeAll(async () => {
    double = await open();
  });

  function mouth(times = MOUTH_TIMES, through = door) {
    const said: string[] = [];
    const notes: string[] = [];
    const standIn: Speaking = {
      name: "the stand-in",
      rate: 16_000,
      async *speak({ text }) {
        said.push(text);
        yield { samples: new Int16Array(text.length * SAMPLES_A_CHARACTER), aligned: [] };
      },
    };
    const remote = createRemoteSpeaking({
      service,
      access: { api_key: "the key", base_url: double.url },
      door: through,
      voiceOf: async () => ({ id: "v-alice", model: "the-model" }),
      times,
    });
    afterFile(() => remote.close());
    return { speaking: speakingChain([remote, standIn], (note) => notes.push(note)), remote, said, notes };
  }

  async function all(parts: AsyncIterable<SpokenAudio>) {
    const aligned: SpokenAudio["aligned"] = [];
    let samples = 0;
    for await (const part of parts) {
      samples += part.samples.length;
      aligned.push(...part.aligned);
    }
    return { aligned, samples };
  }
  const speak = (speaking: Speaking, more: Partial<Utterance> = {}, signal = new AbortController().signal) =>
    all(speaking.speak({ ...SAY, ...more }, signal));

  test("a sentence is spoken over a socket that is kept, and each word is known to sound when it does", async () => {
    const { speaking, remote, notes } = mouth();
    const before = double.sockets.length;
    remote.prepare?.(SAY);
    const { samples, aligned } = await speak(speaking);
    await speak(speaking, { text: "Anything else?" });
    expect(double.sockets.length).toBe(before + 1);
    expect(samples).toBeGreaterThanOrEqual(TEXT.trim().length * SAMPLES_A_CHARACTER);
    expect(notes).toEqual([]);
    const socket = double.sockets.at(-1);
    expect(JSON.stringify(socket?.headers)).toContain("the key");
    expect(socket?.path).not.toContain("the key");
    expect(JSON.stringify(socket?.sent)).toContain("Anything else?");
    if (!aligns) return expect(aligned).toEqual([]);
    const nine = aligned.filter(({ from, to }) => from >= 17 && to <= 21);
    expect(TEXT.slice(nine[0]?.from, nine.at(-1)?.to)).toBe("nine");
    // The word begins after the 17 characters before it.
    expect(nine[0]?.begins).toBeCloseTo(17 * SAMPLES_A_CHARACTER, -3);
    expect(aligned.at(-1)?.to).toBe(TEXT.length);
  });

  test("what nobody waits for any more is cancelled, and the next sentence holds nothing of it", async () => {
    const { speaking } = mouth();
    const control = new AbortController();
    for await (const _ of speaking.speak(SAY, control.signal)) control.abort();
    const { samples } = await speak(speaking, { text: "Go on." });
    expect(samples).toBeLessThanOrEqual(7 * SAMPLES_A_CHARACTER);
  });

  test("a service that refuses, or makes no sound, is tried twice; then the next speaks for the rest of the call", async () => {
    double.trouble({ type: "status", status: 401 }, { type: "hangs" });
    const { speaking, said, notes } = mouth({ connect_ms: 2000, answer_ms: 150 });
    await speak(speaking);
    expect(said).toEqual([TEXT]);
    expect(notes[0]).toMatch(/the answer was 401. Tried once more\.$/);
    expect(notes[1]).toMatch(/no sound within 150 ms. the stand-in speaks from now on\.$/);
    await speak(speaking, { text: "And on." });
    expect(said).toEqual([TEXT, "And on."]);
  });

  test("a late answer is waited for", async () => {
    double.trouble({ type: "late", ms: 200 });
    const { speaking, notes } = mouth();
    expect((await speak(speaking)).samples).toBeGreaterThan(0);
    expect(notes).toEqual([]);
  });

  test("a connection that closes in a sentence: its rest is said by another, and nothing twice", async () => {
    double.trouble({ type: "closes", after_ms: 300 });
    const { speaking, said, notes } = mouth();
    const { samples, aligned } = await speak(speaking);
    expect(notes[0]).toContain("closed the connection");
    expect(said).toEqual([]);
    // 30 characters, and the space that a service may be sent behind them.
    expect(samples).toBeLessThanOrEqual((TEXT.length + 2) * SAMPLES_A_CHARACTER);
    if (!aligns) return;
    expect(samples).toBeGreaterThanOrEqual(TEXT.length * SAMPLES_A_CHARACTER);
    expect(aligned.at(-1)?.to).toBe(TEXT.length);
    for (const [at, span] of aligned.entries()) {
      expect(span.from).toBeGreaterThanOrEqual(aligned[at - 1]?.from ?? 0);
      expect(span.begins).toBeGreaterThanOrEqual(aligned[at - 1]?.begins ?? 0);
    }
  });

  test("an address that egress does not allow is not called", async () => {
    const sockets = double.sockets.length;
    const closed = createSocketDoor({ allow: { hosts: [], networks: [] } });
    const { speaking, said, notes } = mouth(MOUTH_TIMES, closed);
    await speak(speaking);
    expect(said).toEqual([TEXT]);
    expect(notes[0]).toContain("EGRESS_ALLOW");
    expect(double.sockets.length).toBe(sockets);
  });
});
