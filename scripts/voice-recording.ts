import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { encodeUlaw } from "../src/audio/g711.ts";
import { level_dbfs, mix } from "../src/audio/level.ts";
import { resample } from "../src/audio/resample.ts";
import { callDemo } from "../src/commands/simulate/simulate-audio.ts";
import { HEARING_RATE } from "../src/speech/hearing.ts";
import { findSphinx } from "../src/speech/local/sphinx.ts";

/**
 * Writes docs/sounds/demo-call.wav: a simulated person calls the demo's agent by voice, and both sides are recorded as they
 * sounded, in the telephone's code (8 kHz, µ-law, one channel). `node scripts/voice-recording.ts [seed]`
 */
const ROOT = path.resolve(import.meta.dirname, "..");
const FILE = path.join(ROOT, "docs/sounds/demo-call.wav");
const RATE = 8000;
/** A second is 8 kB. */
const MOST_S = 24;
const QUIET_S = 0.4;
const ULAW = 7;

const sphinx = findSphinx(["/", path.join(ROOT, "node_modules/.cache/parley-sphinx")]);
if (!sphinx) throw new Error("Install what hears: sudo apt install libpocketsphinx3 pocketsphinx-en-us");
const seed = Number(process.argv[2] ?? 1);
const { person, agent, turns } = await callDemo({ seed, sphinx }, AbortSignal.timeout(180_000), () => {});
const whole = resample(mix(person, agent), HEARING_RATE, RATE);
const codes = encodeUlaw(whole.subarray(0, endOf(whole)));
await mkdir(path.dirname(FILE), { recursive: true });
await writeFile(FILE, ulawFile(codes));
const told = turns.map(({ person: one, written }) => `${one ? `${one.said} → ` : ""}${written}`);
told.push(`${FILE}: ${(codes.length / RATE).toFixed(1)} s, ${Math.round(codes.length / 1000)} kB`);
process.stdout.write(`${told.join("\n")}\n`);
process.exit(0);

/** The last silence that is early enough, so that nobody is cut off. */
function endOf(samples: Int16Array): number {
  const most = Math.min(samples.length, MOST_S * RATE);
  const quiet = QUIET_S * RATE;
  for (let end = most; end > quiet; end -= RATE / 50)
    if (level_dbfs(samples.subarray(end - quiet, end)) < -50) return end;
  return most;
}

function ulawFile(codes: Uint8Array): Buffer {
  const head = Buffer.alloc(58);
  head.write("RIFF", 0);
  head.writeUInt32LE(head.length - 8 + codes.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(18, 16);
  head.writeUInt16LE(ULAW, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("fact", 38);
  head.writeUInt32LE(4, 42);
  head.writeUInt32LE(codes.length, 46);
  head.write("data", 50);
  head.writeUInt32LE(codes.length, 54);
  return Buffer.concat([head, codes]);
}
