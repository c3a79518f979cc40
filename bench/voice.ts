import { setTimeout as sleep } from "node:timers/promises";
import { API_KEY_HEADER } from "../src/api/server.ts";
import { amplify, level_dbfs, mix } from "../src/audio/level.ts";
import { noise } from "../src/audio/tones.ts";
import { createLocalEngines } from "../src/media/local-engines.ts";
import { HEARING_RATE } from "../src/speech/hearing.ts";
import { PageCaller, speech } from "../test/harness/page-caller.ts";
import { sphinxFiles } from "../test/harness/sphinx.ts";
import { machine, markdownTable, print, quantile, startPlatform } from "./platform.ts";

/**
 * Calls by voice as a caller hears them: people made of the offline mouth call the program over its own socket, in real
 * time, and what comes out of their loudspeaker is measured, not the program's log. The model is scripted and answers at
 * once; hearing and speaking are the offline stand-ins. Run: node bench/voice.ts [rounds]
 */
const ROUNDS = Number(process.argv[2] ?? 10);
const LOUD_DBFS = -45;
const SCRIPT = `
on /open/ -> say "We are open from eight in the morning to five in the afternoon, on every day but Sunday and holidays."
on /appointment/ -> say "For what day would you like your appointment?"
on /monday/ -> say "Monday is fine. At what time would you like to come?"
on /.*/ -> say "I can book you a check up, a cleaning or a vaccination. Please tell me what you need, and when you would like to come."
`;
const QUESTIONS = [
  "when are you open",
  "i want to book an appointment",
  "on monday please",
  "what can you do for me",
];
const STOPS = ["wait", "no", "stop"];

const sphinx = await sphinxFiles();
if (!sphinx) throw new Error("this needs the packages libpocketsphinx3 and pocketsphinx-en-us of Debian");
const engines = createLocalEngines({ sphinx, threads: 1 });
const platform = await startPlatform({ voiceEngines: engines });
const url = await platform.api.server.listen({ host: "127.0.0.1", port: 0 });
const client_id = await createChat();
const said = new Map<string, Int16Array>();
for (const text of [...QUESTIONS, ...STOPS, "mm-hm", "okay"])
  said.set(text, await speech(engines.speaking, text));
const voiceOf = (text: string) => said.get(text) as Int16Array;

const answers: number[] = [];
const stops: number[] = [];
const misheard: string[] = [];
let missed = 0;
let wrongly = 0;
const noises = { tried: 0, lost: 0 };

for (let round = 0; round < ROUNDS; round++) {
  const caller = await call();
  for (const question of QUESTIONS) {
    await quiet(caller);
    answers.push(await askAndWait(caller, question));
    const heard = caller.words.findLast(({ role, final }) => role === "user" && final)?.text;
    if (heard !== question) misheard.push(`${question} → ${heard ?? "nothing"}`);
  }
  // Over the agent's words: what means it stops them, what does not lets them go on.
  for (const text of STOPS) {
    await quiet(caller);
    await startTalking(caller);
    const stopped = await interrupt(caller, voiceOf(text));
    if (stopped === null) missed++;
    else stops.push(stopped);
    await sleep(1500);
  }
  for (const sound of [cough(round), voiceOf("mm-hm")]) {
    await quiet(caller);
    await startTalking(caller);
    noises.tried++;
    const before = caller.heard.length;
    await caller.play(sound);
    await sleep(2500);
    const silent_ms = longestSilence(caller.heard.slice(before, before + 200)) * 20;
    if (silent_ms > 400) wrongly++;
    if (!isLoud(caller.heard.slice(-50))) noises.lost++;
  }
  caller.hangUp();
  process.stderr.write(`round ${round + 1} of ${ROUNDS}\n`);
}

print(`${machine()}; ${ROUNDS} rounds, one call at a time, scripted model, offline engines\n`);
print(
  markdownTable(
    ["measure", "p50", "p95", "max", "measured"],
    [
      ["mouth to ear: last sound of the caller → first sound of ours, ms", ...row(answers)],
      ["barge-in: first sound of the caller → last sound of ours, ms", ...row(stops)],
    ],
  ),
);
print("");
print(
  markdownTable(
    ["judged", "of", "wrong"],
    [
      ["wait / no / stop that did not stop us within 2 s", ROUNDS * STOPS.length, missed],
      ["cough or mm-hm after which we were silent longer than 400 ms", noises.tried, wrongly],
      ["cough or mm-hm after which we did not go on", noises.tried, noises.lost],
      ["questions that were heard otherwise", answers.length, misheard.length],
    ],
  ),
);
if (misheard.length > 0) print(`\n${[...new Set(misheard)].join("\n")}`);
await engines.close();
await platform.stop();

async function call(): Promise<PageCaller> {
  const response = await fetch(`${url}/chat/v1/calls`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_id }),
  });
  if (!response.ok) throw new Error(await response.text());
  return PageCaller.call(
    url,
    (await response.json()) as { call_id: string; token: string },
    engines.speaking,
  );
}

/** Nothing was heard for half a second. */
async function quiet(caller: PageCaller): Promise<void> {
  await caller.until(() => caller.heard.length > 25 && !isLoud(caller.heard.slice(-25)) && !caller.isHearing);
}

/** Milliseconds from the caller's last sound to the agent's first. */
async function askAndWait(caller: PageCaller, question: string): Promise<number> {
  const from = caller.sent.length;
  await caller.play(voiceOf(question));
  const last = caller.sent.findLastIndex((frame, at) => at >= from && level_dbfs(frame) > LOUD_DBFS);
  await caller.until(() => caller.heard.slice(last).some((frame) => level_dbfs(frame) > LOUD_DBFS));
  const first = caller.heard.findIndex((frame, at) => at > last && level_dbfs(frame) > LOUD_DBFS);
  return (first - last) * 20;
}

/** The agent says something long. */
async function startTalking(caller: PageCaller): Promise<void> {
  await askAndWait(caller, "when are you open");
  await sleep(700);
}

/** Milliseconds from the first sound over the agent's words to the last sound of it; null: it went on for 2 s. */
async function interrupt(caller: PageCaller, samples: Int16Array): Promise<number | null> {
  const from = caller.sent.length;
  await caller.play(samples);
  await sleep(2000);
  const began = caller.sent.findIndex((frame, at) => at >= from && level_dbfs(frame) > LOUD_DBFS);
  const after = caller.heard.slice(began, began + 100);
  // A pause between two words is no end: so long a silence is.
  const ended = after.findIndex((_, at) => !isLoud(after.slice(at, at + 25)));
  return ended < 0 ? null : ended * 20;
}

function isLoud(frames: Int16Array[]): boolean {
  return frames.some((frame) => level_dbfs(frame) > LOUD_DBFS);
}

function longestSilence(frames: Int16Array[]): number {
  let longest = 0;
  let now = 0;
  for (const frame of frames) {
    now = level_dbfs(frame) > LOUD_DBFS ? 0 : now + 1;
    longest = Math.max(longest, now);
  }
  return longest;
}

/** Two bursts that die away, of a voice and yet no word. */
function cough(seed: number): Int16Array {
  const burst = noise(seed, { rate: HEARING_RATE, ms: 220, level_db: -18 });
  const shaped = burst.map((sample, at) => Math.round(sample * Math.exp(-at / (HEARING_RATE * 0.06))));
  const both = new Int16Array(shaped.length * 2);
  both.set(shaped);
  both.set(amplify(shaped, -3), shaped.length);
  return mix(both, amplify(voiceOf("okay").subarray(0, HEARING_RATE / 10), -12));
}

function row(values: number[]): (string | number)[] {
  return [quantile(values, 0.5), quantile(values, 0.95), Math.max(...values), values.length];
}

async function createChat(): Promise<string> {
  const send = async (method: string, path: string, body: object) => {
    const headers = { [API_KEY_HEADER]: platform.token, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { id: number };
  };
  const prompt = await send("POST", "/api/v1/prompts/", {
    name: "Bench",
    type: "prompt_v1",
    context: `You are a bench.\n\`\`\`script\n${SCRIPT}\n\`\`\``,
    llm_config: { provider: "openai", model: "scripted" },
    tools: [],
  });
  const agent = await send("POST", "/api/v1/agents/", {
    name: "Bench",
    type: "ca_v1",
    prompt_id: prompt.id,
    custom_message_id: null,
    timezone: "America/New_York",
    prompt_tool_defaults: [],
    languages: [],
    variables: {},
    tool_headers: null,
  });
  const channel = await send("POST", "/api/v1/channels/", {
    name: "Bench",

    channel_service: "webchat",
    config: {},
  });
  const target = await send("POST", `/api/v1/channels/${channel.id}/targets`, {
    agent_id: agent.id,
    channel_id: channel.id,
    target: "bench-voice",
    target_mode: "chat",
  });
  await send("PUT", `/api/v1/channels/${channel.id}/targets/${target.id}/browser_calls`, {
    browser_calls: true,
  });
  return "bench-voice";
}
