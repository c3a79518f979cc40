import { cpSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Framer } from "../../src/audio/frames.ts";
import { join, mix } from "../../src/audio/level.ts";
import { noise, silence } from "../../src/audio/tones.ts";
import { readWav } from "../../src/audio/wav.ts";
import { createLocalEngines } from "../../src/media/local-engines.ts";
import { plainWords } from "../../src/media/words/caller-words.ts";
import { wordsApart } from "../../src/simulator/caller-ear.ts";
import { HEARING_RATE, type Heard } from "../../src/speech/hearing.ts";
import { fetchedModels } from "../../src/speech/local/english-model.ts";
import { findSpeechModels } from "../../src/speech/local/speech-models.ts";
import { newFolder, run } from "../commands/program.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp } from "../harness/app.ts";
import { type EnglishModel, englishModel } from "../harness/english-model.ts";
import { runClock } from "../harness/run-clock.ts";

/** What people say in Debian's recordings, as its package writes it down. */
const SAID: Record<string, string> = {
  "librivox/sense_and_sensibility_01_austen_64kb-0870.wav":
    "and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them",
  "librivox/sense_and_sensibility_01_austen_64kb-0930.wav": "he might even have been made amiable himself",
  "cards/002.wav": "four queen of clubs",
  "cards/003.wav": "seven of clubs",
};

/** Of their 37 words: processors reckon a little differently, and "clubs" is "gloves" on one. */
const MOST_APART = 3;

let model: EnglishModel | null = null;
let engines: ReturnType<typeof createLocalEngines>;

beforeAll(async () => {
  model = await englishModel();
  if (!model) return;
  const data_dir = newFolder();
  mkdirSync(path.join(data_dir, "speech"));
  cpSync(model.folder, path.join(data_dir, "speech", path.basename(model.folder)), { recursive: true });
  const models = findSpeechModels(fetchedModels(data_dir));
  expect(models.hearing).toHaveLength(1);
  engines = createLocalEngines({ sphinx: null, models });
});
afterAll(() => engines?.close());

/** On a line of its own, as fast as the person spoke. */
async function hear(file: string): Promise<Heard[]> {
  const [spoken] = readWav(readFileSync(file)).channels;
  const quiet = silence(HEARING_RATE, 700);
  const line = join([quiet, spoken as Int16Array, quiet]);
  const hiss = noise(5, { rate: HEARING_RATE, ms: (line.length / HEARING_RATE) * 1000, level_db: -65 });
  const heard: Heard[] = [];
  const over = Promise.withResolvers<void>();
  const ear = engines.hearing.open({ language: "en-US", expected: [] }, (event) => {
    heard.push(event);
    if (event.type === "final" || event.type === "fault") over.resolve();
  });
  for (const frame of new Framer(HEARING_RATE).push(mix(line, hiss))) {
    ear.push(frame);
    await sleep(20);
  }
  await over.promise;
  ear.close();
  return heard;
}

const wordsOf = (text: string) => plainWords(text.replace(/\bMr\b\.?/, "mister")).join(" ");

test("of what four people say at a time, nine words of ten are understood", async (context) => {
  const known = model;
  if (!known) return context.skip();
  const apart = Object.entries(SAID).map(async ([name, said]) => {
    const heard = await hear(known.recording(name));
    const finals = heard.flatMap((event) => (event.type === "final" ? [event.text] : []));
    return wordsApart(wordsOf(finals.join(" ")), said);
  });
  expect((await Promise.all(apart)).reduce((sum, one) => sum + one)).toBeLessThanOrEqual(MOST_APART);
});

test("a person's first words are there before they have ended", async (context) => {
  if (!model) return context.skip();
  const [name = ""] = Object.keys(SAID);
  const heard = await hear(model.recording(name));
  const early = heard.slice(
    0,
    heard.findIndex(({ type }) => type === "final"),
  );
  const partials = early.flatMap((event) => (event.type === "partial" ? [wordsOf(event.text)] : []));
  expect(partials).toContainEqual(expect.stringMatching(/^and mister john dashwood/));
});

test("noise alone has no words", async (context) => {
  if (!model) return context.skip();
  const heard: Heard[] = [];
  const ear = engines.hearing.open({ language: "en-US", expected: [] }, (event) => heard.push(event));
  const hiss = noise(9, { rate: HEARING_RATE, ms: 4000, level_db: -30 });
  for (const frame of new Framer(HEARING_RATE).push(hiss)) ear.push(frame);
  await sleep(1000);
  ear.close();
  expect(heard).toEqual([]);
});

test("a person who calls a page is understood and answered", async (context) => {
  if (!model) return context.skip();
  const app = await createTestApp({}, undefined, { voiceEngines: engines });
  const stopClock = runClock(app.clock);
  const script = 'on /might even/ -> say "So he might."\non /.*/ -> say "Please say that again."\n';
  const { target } = await createAgent(app, { script, agent: { name: "Reader" } });
  const { channel_id, id } = (await app.send("GET", `/api/v1/channels/targets?target=${target}`)).body
    .items[0];
  const allow = `/api/v1/channels/${channel_id}/targets/${id}/browser_calls`;
  expect((await app.send("PUT", allow, { browser_calls: true })).status).toBe(200);
  const env = { PUBLIC_URL: await app.listen(), PARLEY_API_TOKEN: app.token };
  const file = model.recording("librivox/sense_and_sensibility_01_austen_64kb-0930.wav");
  const { code, stdout } = await run(["call", "Reader", "--wav", file], { folder: newFolder(), env });
  stopClock();
  expect(code).toBe(0);
  // The turn waits for the last words, however busy the machine is.
  const understood = [...stdout.matchAll(/^you › (.*)$/gm)].map(([, text = ""]) => wordsOf(text));
  expect(understood).toEqual(["he might even have been made amiable himself"]);
  expect(stdout).toContain("agent › So he might.\n");
});
