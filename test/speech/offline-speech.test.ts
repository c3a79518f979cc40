import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Framer } from "../../src/audio/frames.ts";
import { decodeUlaw, encodeUlaw } from "../../src/audio/g711.ts";
import { join, level_dbfs, mix } from "../../src/audio/level.ts";
import { resample } from "../../src/audio/resample.ts";
import { beep, keyTones, noise, silence, tone } from "../../src/audio/tones.ts";
import { enginesOfCall } from "../../src/media/call-engines.ts";
import { createLocalEngines } from "../../src/media/local-engines.ts";
import { HEARING_RATE, type Heard } from "../../src/speech/hearing.ts";
import { openEarStream } from "../../src/speech/local/ear-stream.ts";
import { createLocalHearing, type LocalHearing } from "../../src/speech/local/local-hearing.ts";
import { createLocalSpeaking } from "../../src/speech/local/local-speaking.ts";
import type { SphinxFiles } from "../../src/speech/local/sphinx.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

const mouth = createLocalSpeaking({ threads: 1 });
let sphinx: SphinxFiles | null = null;
let hearing: LocalHearing;

beforeAll(async () => {
  sphinx = await sphinxFiles();
  hearing = createLocalHearing({ sphinx });
});
afterAll(async () => {
  await hearing.close();
  await mouth.close();
});

async function say(text: string, voice: string | null = null, language = "en-US"): Promise<Int16Array> {
  const pieces: Int16Array[] = [];
  for await (const { samples } of mouth.speak(
    { text, language, voice, speed: null },
    new AbortController().signal,
  )) {
    pieces.push(samples);
  }
  return join(pieces);
}

/** What is heard of this audio on one line, with a second of its quiet on both sides of each utterance. */
async function hear(said: Int16Array | Int16Array[], expected: string[] = []): Promise<Heard[]> {
  const heard: Heard[] = [];
  const quiet = silence(HEARING_RATE, 1000);
  const utterances = [said].flat();
  const line = join([quiet, ...utterances.flatMap((samples) => [samples, quiet])]);
  const hiss = noise(11, { rate: HEARING_RATE, ms: (line.length / HEARING_RATE) * 1000, level_db: -65 });
  const over = Promise.withResolvers<void>();
  const ear = hearing.open({ language: "en-US", expected }, (event) => {
    heard.push(event);
    const finals = heard.filter(({ type }) => type === "final").length;
    if (finals === utterances.length || event.type === "fault") over.resolve();
  });
  for (const frame of new Framer(HEARING_RATE).push(mix(line, hiss))) ear.push(frame);
  if (heard.length === 0) await drained();
  // Speech that ended has words where they can be understood; they come when the thread is through.
  if (hearing.understands && heard.some(({ type }) => type === "speech_started")) await over.promise;
  ear.close();
  return heard;
}

/** A thread takes what it is told in order: what a later ear heard comes after all of an earlier one's. */
async function drained(): Promise<void> {
  const spoken = await say("yes");
  await new Promise<void>((resolve) => {
    const ear = hearing.openVoiceDetection(({ type }) => {
      if (type === "speech_started" || type === "fault") resolve();
    });
    for (const frame of new Framer(HEARING_RATE).push(join([spoken, spoken]))) ear.push(frame);
  });
}

const VOICE = {
  languages: [],
  interruptible_by: "all" as const,
  hints: [],
  wish: { sub_organization_id: 1, stt_provider: null },
};

const telephone = (samples: Int16Array) =>
  resample(decodeUlaw(encodeUlaw(resample(samples, 16_000, 8000))), 8000, 16_000);

describe("the offline mouth", () => {
  test("speaks English at once, without leading silence", async () => {
    const spoken = await say("Hello, this is the Demo Clinic.");
    expect(spoken.length).toBeGreaterThan(HEARING_RATE);
    expect(level_dbfs(spoken.subarray(0, HEARING_RATE / 10))).toBeGreaterThan(-45);
  });

  test("says plainly that it has no other language", async () => {
    await expect(say("Hola.", null, "es-US")).rejects.toThrow(
      "The offline voice speaks English only, not es-US.",
    );
  });

  test("stays silent for no words, and reads marks and long texts without failing", async () => {
    for (const text of ["", "…", "- _ *", "so ".repeat(100)])
      expect((await say(text)).length).toBeGreaterThanOrEqual(0);
  });
});

/** Of a thread's first file: there are no more open files to be had, for once. */
const FIRST_READ_FAILS = `
  import fs from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  const { readFile } = fs;
  fs.readFile = async () => {
    fs.readFile = readFile;
    syncBuiltinESMExports();
    throw new Error("EMFILE: too many open files");
  };
  syncBuiltinESMExports();`;

test("a voice whose file could not be read once is read again for the next sentence", async () => {
  const voice = new Worker(new URL("../../src/speech/local/flite-worker.ts", import.meta.url), {
    execArgv: ["--import", `data:text/javascript,${encodeURIComponent(FIRST_READ_FAILS)}`],
  });
  const speech = { text: "Hello.", voice: "slt", speed: 1 };
  const kinds: string[] = [];
  for (let n = 0; n < 2; n++) {
    voice.postMessage({ name: "speak", given: [speech] });
    for (const _ of ["begun", "result"]) kinds.push((await once(voice, "message"))[0].kind);
  }
  await voice.terminate();
  expect(kinds).toEqual(["begun", "failed", "begun", "done"]);
});

describe("the offline ear", () => {
  test("tells when somebody speaks and when they stop", async () => {
    const heard = await hear(await say("I want to book an appointment", "rms"));
    const [started, stopped] = heard.filter(({ type }) => type.startsWith("speech_"));
    expect(started).toMatchObject({ type: "speech_started" });
    expect(stopped).toMatchObject({ type: "speech_stopped" });
  });

  test("takes noise, keys, a beep and music for no voice", async () => {
    // A guitar's chords over a drum.
    const pluck = (hz: number) =>
      [1, 2, 3, 4, 5, 6]
        .map((k) => tone(hz * k, { rate: HEARING_RATE, ms: 400, level_db: -20 - 4 * k }))
        .reduce(mix)
        .map((sample, at) => Math.round(sample * Math.exp(-at / (HEARING_RATE * 0.12))));
    const drum = noise(3, { rate: HEARING_RATE, ms: 60, level_db: -20 });
    const chord = (hz: number) => [drum, pluck(hz), pluck(1.25 * hz), pluck(1.5 * hz)].reduce(mix);
    const sounds = [
      join([262, 294, 330, 262, 392, 349].map(chord)),
      noise(5, { rate: HEARING_RATE, ms: 1500, level_db: -30 }),
      keyTones("12345", HEARING_RATE),
      beep(HEARING_RATE),
    ];
    for (const sound of sounds) expect(await hear(sound)).toEqual([]);
  });

  test("is closed in the middle of what it hears, and takes nothing with it", async () => {
    const frames = new Framer(HEARING_RATE).push(await say("I want to book an appointment"));
    for (let round = 0; round < 8; round++) {
      const closing = createLocalHearing({ sphinx: null });
      const ears = [1, 2, 3].map(() => closing.openVoiceDetection(() => {}));
      for (const frame of frames) for (const ear of ears) ear.push(frame);
      await new Promise((resolve) => setTimeout(resolve, 15 * round));
      await closing.close();
    }
  });

  test("says of each utterance what it was, also nothing, and whether the next has begun meanwhile", async () => {
    const understood: PromiseWithResolvers<string>[] = [];
    const slow = {
      begin: () => {},
      push: () => "",
      end: () => {
        understood.push(Promise.withResolvers());
        return understood.at(-1)?.promise ?? "";
      },
      giveBack: () => {},
    };
    const told: string[] = [];
    const tell = (heard: Heard) =>
      told.push(`${heard.type} ${"words_follow" in heard ? heard.words_follow : ""}`.trim());
    const ear = openEarStream(slow, { tell, fail: (error) => told.push(String(error)) });
    const spoken = await say("I want to book an appointment", "rms");
    const pause = silence(HEARING_RATE, 1000);
    for (const frame of new Framer(HEARING_RATE).push(join([pause, spoken, pause, spoken]))) ear.push(frame);
    understood[0]?.resolve("");
    await expect.poll(() => told.slice(-3)).toEqual(["speech_stopped true", "speech_started", "final true"]);
    for (const frame of new Framer(HEARING_RATE).push(pause)) ear.push(frame);
    understood[1]?.resolve("i want to book an appointment");
    await expect.poll(() => told.slice(-2)).toEqual(["speech_stopped true", "final false"]);
    ear.close();
  });

  test("whose thread dies in mid-word is followed by another, which hears the caller to their end", async () => {
    const threads: Worker[] = [];
    const began = (message: unknown) => threads.push((message as { worker: Worker }).worker);
    const spoken = await say("I want to book an appointment", "rms");
    subscribe("worker_threads", began);
    const engines = createLocalEngines({ sphinx: null });
    const heard: string[] = [];
    const notes: string[] = [];
    const own = await enginesOfCall(engines, VOICE, (message) => notes.push(message));
    const ear = own.hearing.open({ language: "en-US", expected: [] }, ({ type }) => heard.push(type));
    const frames = new Framer(HEARING_RATE).push(join([spoken, silence(HEARING_RATE, 1000)]));
    for (let deaths = 0; deaths < 3; deaths++) {
      for (const frame of frames.slice(deaths * 10, deaths * 10 + 10)) ear.push(frame);
      if (deaths === 2) await expect.poll(() => heard).toEqual(["speech_started"]);
      const thread = threads.at(-1);
      const gone = thread && once(thread, "exit");
      thread?.postMessage({ ask: "end" });
      await gone;
      await expect.poll(() => notes).toHaveLength(deaths + 1);
    }
    for (const frame of frames.slice(30)) ear.push(frame);
    await expect.poll(() => heard).toEqual(["speech_started", "speech_stopped"]);
    unsubscribe("worker_threads", began);
    expect(threads).toHaveLength(4);
    ear.close();
    await engines.close();
  });

  test("of a caller who hangs up in mid-word gives its memory back, and so does the end of all lines", async (context) => {
    if (!sphinx) return context.skip();
    const frames = new Framer(HEARING_RATE).push(await say("I want to book an appointment", "rms"));
    const rss_mb = () => process.memoryUsage.rss() / 2 ** 20;
    let agents = 0;
    /** Each caller has an agent of their own, and so a recognizer, of 8 MB. */
    const hangUp = async (own: LocalHearing, callers: number) => {
      for (let caller = 0; caller < callers; caller++) {
        const listening = { language: "en-US", expected: [`This is the clinic of Doctor ${agents++}.`] };
        const isHeard = Promise.withResolvers<void>();
        const ear = own.open(listening, ({ type }) => {
          if (type === "partial" || type === "fault") isHeard.resolve();
        });
        // Words are being recognized, and the utterance is not over.
        for (const frame of frames) ear.push(frame);
        await isHeard.promise;
        ear.close();
        await own.caughtUp();
      }
    };
    const round = async (callers: number) => {
      const own = createLocalHearing({ sphinx });
      await hangUp(own, callers);
      await own.close();
    };
    await round(5);
    const before = rss_mb();
    await round(10);
    for (let n = 0; n < 4; n++) await round(4);
    expect(rss_mb() - before).toBeLessThan(70);
  });

  test("hears a caller as if nobody had called before: what it learned of one voice is gone for the next", async (context) => {
    if (!hearing.understands) return context.skip();
    const expected = ["We are open from eight to five.", "For what day?"];
    const question = await say("When are you open?", "rms");
    const loud = mix(
      await say("I want to book an appointment", "rms"),
      tone(120, { rate: HEARING_RATE, ms: 1500 }),
    );
    const first = await hear(question, expected);
    for (let call = 0; call < 3; call++) await hear(loud, expected);
    expect(await hear(question, expected)).toEqual(first);
  });

  test("hears a dictated number as its digits, and what is said next as before", async (context) => {
    if (!hearing.understands) return context.skip();
    const expected = [
      "Hello, this is the Demo Clinic. I can book you a check-up, a cleaning or a vaccination. What do you need?",
      "Your phone number",
    ];
    const words = async (said: string, voice: string) =>
      (await hear(await say(said, voice), expected)).flatMap((heard) =>
        heard.type === "final" ? [heard.text] : [],
      );
    for (const voice of ["rms", "awb", "slt"]) {
      expect(await words("My number is 212 555 0142.", voice)).toEqual([
        "my number is two one two five five five zero one four two",
      ]);
      expect(await words("When are you open?", voice)).toEqual(["when are you open"]);
    }
  });

  test("understands what a caller says on the telephone, when the agent's words are known", async (context) => {
    if (!sphinx) return context.skip();
    const expected = [
      "I can book you a check-up, a cleaning or a vaccination.",
      "When are you open?",
      "What do you need?",
    ];
    const said = [
      "when are you open",
      "i want to book an appointment",
      "for a check up",
      "yes please",
      "on monday",
    ];
    for (const voice of ["rms", "awb"]) {
      const spoken: Int16Array[] = [];
      for (const text of said) spoken.push(telephone(await say(text, voice)));
      const finals = (await hear(spoken, expected)).flatMap((heard) =>
        heard.type === "final" ? [heard.text] : [],
      );
      expect(finals).toEqual(said);
    }
  });
});
