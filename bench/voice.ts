import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { keepingSpeech, SpeechStore } from "../src/speech/kept-speech.ts";
import { createLocalHearing } from "../src/speech/local/local-hearing.ts";
import { createLocalSpeaking } from "../src/speech/local/local-speaking.ts";
import { sphinxFiles } from "../test/harness/sphinx.ts";
import { machine, markdownTable, print, quantile } from "./platform.ts";
import { answeredCall } from "./voice-answerers.ts";
import { mouthToEar } from "./voice-live.ts";
import { type Load, loadOf } from "./voice-load.ts";
import {
  bargeIn,
  dictatingCaller,
  disturbance,
  hardToHear,
  interruption,
  isFalseStop,
  isFirstWordHeard,
  type Pausing,
  pathQuality,
  pausingCaller,
  stopWord,
  transcriptError,
} from "./voice-rows.ts";

/**
 * Calls by voice as a caller hears them, each measure beside what is demanded of it. The model is scripted and answers at
 * once; hearing and speaking are the offline stand-ins. Run:
 *   node bench/voice.ts [--rows barge-in,path] [--seed 1] [--trials 50] [--rounds 5]
 */
const { values } = parseArgs({
  options: {
    rows: { type: "string" },
    seed: { type: "string", default: "1" },
    trials: { type: "string", default: "50" },
    rounds: { type: "string", default: "5" },
  },
});
const seed = Number(values.seed);
const trials = Number(values.trials);

const sphinx = await sphinxFiles();
if (!sphinx) throw new Error("this needs the packages libpocketsphinx3 and pocketsphinx-en-us of Debian");
const hearing = createLocalHearing({ sphinx });
const speaking = createLocalSpeaking({ threads: 1 });
const with_ = { hearing, speaking, seed };

type Line = [measure: string, demanded: string, seen: string, of: number | string];

const share = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;
const spread = (ms: number[]): string =>
  `p50 ${Math.round(quantile(ms, 0.5))}, p95 ${Math.round(quantile(ms, 0.95))} ms`;

async function each<T>(count: number, trial: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let index = 0; index < count; index++) results.push(await trial(index));
  return results;
}

const ROWS: Record<string, () => Promise<Line[]>> = {
  "mouth-to-ear": async () => {
    // It keeps two answers at most, so that none is there from the round before.
    const kept = keepingSpeech(speaking, { store: new SpeechStore(400_000) });
    const engines = { hearing, speaking: kept, detection: null, missing: null };
    const waits = await mouthToEar(engines, Number(values.rounds));
    const { questions_ms, wish_ms, silence_ms, making_ms } = waits;
    return [
      [
        "mouth to ear, in real time, after 400 ms end of turn",
        "p50 ≤ 600, p95 ≤ 900 ms",
        spread(questions_ms),
        questions_ms.length,
      ],
      ["the same after a wish (end of turn 1020 ms)", "–", spread(wish_ms), wish_ms.length],
      ["of these: silence that ended the turn", "–", spread(silence_ms), silence_ms.length],
      ["of these: from the answer's first words to their sound", "–", spread(making_ms), making_ms.length],
    ];
  },
  "own-share": async () => {
    const alone = await loadOf(1, 60);
    return [["our own share of it, one call", "p95 ≤ 60 ms", spread(alone.own_ms), alone.own_ms.length]];
  },
  capacity: async () => {
    const load: Load = await loadOf(50, 30);
    const { own_ms, unanswered, core_percent } = load;
    return [
      ["our own share, 50 calls at once", "p95 ≤ 100 ms", spread(own_ms), own_ms.length],
      ["50 calls: not answered within 5 s", "0", String(unanswered), own_ms.length + unanswered],
      ["50 calls: processor time of a call", "≤ 1 % of a core", `${core_percent.toFixed(2)} %`, 50],
    ];
  },
  "barge-in": async () => {
    const stops = await each(trials, (index) => bargeIn(with_, index, stopWord(index)));
    const turns = await each(trials, (index) => bargeIn(with_, index, interruption(index)));
    const all = [...stops, ...turns];
    const stopped = all.flatMap(({ stopped_ms }) => stopped_ms ?? []);
    const missed = stops.filter(({ stopped_ms }) => stopped_ms === null).length;
    const first = turns.filter(isFirstWordHeard).length;
    const taken = all.filter(({ stopped_ms }) => stopped_ms !== null);
    const right = taken.filter((one) => transcriptError(one) <= 1).length;
    for (const one of turns.filter((turn) => !isFirstWordHeard(turn)))
      process.stderr.write(`first word: ${one.said} → ${one.recognized}\n`);
    for (const one of taken.filter((cut) => transcriptError(cut) > 1))
      process.stderr.write(`transcript: ${one.transcript} | heard: ${one.ear}\n`);
    return [
      ["barge-in: their first sound → our last", "p50 ≤ 200, p95 ≤ 300 ms", spread(stopped), stopped.length],
      ["missed stops: wait, no, stop", "0", String(missed), stops.length],
      ["first word after a barge-in recognized", "100 %", share(first, turns.length), turns.length],
      ["transcript ≤ 1 word off the caller's ear", "≥ 95 %", share(right, taken.length), taken.length],
    ];
  },
  "false-stops": async () => {
    const all = await each(trials, (index) => disturbance(with_, index));
    const lost = all.filter((one) => one.lost);
    const stopped = all.filter(isFalseStop);
    for (const one of stopped) process.stderr.write(`false stop: ${JSON.stringify(one)}\n`);
    return [
      ["cough, mm-hm, slam, noise at 10 dB: answers lost", "0", String(lost.length), all.length],
      [
        "of these silent ≤ 400 ms, or back ≤ 2 s with ≤ 1 word repeated",
        "≥ 95 %",
        share(all.length - stopped.length, all.length),
        all.length,
      ],
    ];
  },
  "talked-over": async () => {
    const over = (callers: Pausing[]) => callers.filter(({ talked_over }) => talked_over);
    const sentences = await each(trials * 2, (index) => pausingCaller(with_, index));
    const digits = await each(Math.ceil(trials * 0.6), (index) => dictatingCaller(with_, index));
    for (const one of over(sentences)) process.stderr.write(`talked over: a pause of ${one.pause_ms} ms\n`);
    return [
      [
        "talked over: pauses of 300–900 ms in a sentence",
        "≤ 2 %",
        share(over(sentences).length, sentences.length),
        sentences.length,
      ],
      ["talked over: digits dictated with such pauses", "0", String(over(digits).length), digits.length],
    ];
  },
  path: async () => {
    const { snr_db, longest_gap_ms } = await pathQuality(with_);
    const seen = Number.isFinite(snr_db) ? `${snr_db.toFixed(1)} dB` : "no difference";
    return [
      ["our path against direct µ-law", "SNR ≥ 30 dB", seen, 1],
      ["longest gap in a piece", "≤ 20 ms", `${longest_gap_ms} ms`, 1],
    ];
  },
  noise: async () => {
    const all = await each(trials, (index) => hardToHear(with_, index));
    const right = all.filter(({ said, heard }) => said === heard).length;
    return [
      [
        "understood word for word at 15 dB, or with 4 % of frames lost",
        "–",
        share(right, all.length),
        all.length,
      ],
    ];
  },
  "who-answered": async () => {
    const all = await each(Math.max(trials, 7) * 6 + 20, (index) => answeredCall(with_, index));
    const right = all.filter(({ is, told }) => is === told);
    for (const one of all.filter(({ is, told }) => is !== told))
      process.stderr.write(`who answered: ${one.is}, told ${one.told}: ${one.what}\n`);
    const waits = all.flatMap(({ human_ms }) => human_ms ?? []);
    const messages = all.flatMap(({ message_ms }) => message_ms ?? []);
    const early = messages.filter((ms) => ms < 0).length;
    const late = messages.filter((ms) => ms > 500).length;
    return [
      ["who answered, told right", "≥ 97 %", share(right.length, all.length), all.length],
      ["a person is known, after their last sound", "p95 ≤ 1500 ms", spread(waits), waits.length],
      ["a message begins, after the beep", "0 to 500 ms", spread(messages), messages.length],
      ["of these before the beep's end, or later than 500 ms", "0; 0", `${early}; ${late}`, messages.length],
    ];
  },
  kill: async () => {
    const test = "test/commands/kill-streamed-call.test.ts";
    const { stdout } = await promisify(execFile)("./parley", ["test", "--nightly", test], {
      cwd: path.resolve(import.meta.dirname, ".."),
      maxBuffer: 2 ** 24,
    });
    const [, listed = ""] = /from the kill to the first sound, ms: ([\d ]+)/.exec(stdout) ?? [];
    const ms = listed.trim().split(" ").map(Number);
    const within = ms.filter((one) => one <= 3000).length;
    return [
      [
        "kill -9 in mid-call, 20 times",
        "20 go on within 3 s",
        `${within} within 3 s; p50 ${Math.round(quantile(ms, 0.5))}, longest ${Math.max(...ms)} ms`,
        ms.length,
      ],
    ];
  },
};

const wanted = values.rows?.split(",") ?? Object.keys(ROWS);
const unknown = wanted.filter((name) => !ROWS[name]);
if (unknown.length > 0) throw new Error(`no row ${unknown}; there are ${Object.keys(ROWS).join(", ")}`);

const load = () => (loadavg()[0] as number).toFixed(1);
print(`${new Date().toISOString().slice(0, 10)}; ${machine()}; seed ${seed}\n`);
const table: (string | number)[][] = [];
for (const name of wanted) {
  const lines = (await ROWS[name]?.()) ?? [];
  for (const line of lines) {
    process.stderr.write(`${line.join(" | ")}\n`);
    table.push([name, ...line, load()]);
  }
}
print(markdownTable(["row", "measure", "demanded", "seen", "of", "load"], table));
await hearing.close();
await speaking.close();
