import type { Api } from "../api/server.ts";
import { writeWav } from "../audio/wav.ts";
import { Fault } from "../base/errors.ts";

/*
 * The sounds a caller may hear while the model thinks (`wait_sound` of an agent). Made here rather than recorded: short
 * loops of noise, well below the loudness of speech.
 */

const SOUNDS: Record<string, { file: string; make: () => Float64Array }> = {
  "Keyboard 1": { file: "keyboard-1.wav", make: () => keyboard({ seed: 1, keys_per_s: 5 }) },
  "Keyboard 2": { file: "keyboard-2.wav", make: () => keyboard({ seed: 2, keys_per_s: 8 }) },
  "Call Center": { file: "call-center.wav", make: () => murmur({ seed: 3, voices: 9 }) },
};

const PATH = "/sounds/";
/** What a telephone carries. */
const RATE_hz = 8000;
const LOOP_s = 6;
/** -22 dB of full scale at the loudest. */
const PEAK = 10 ** (-22 / 20);

/** Null: this agent's callers hear silence. */
export function waitSoundUrl(publicUrl: string, name: string | null): string | null {
  const sound = name === null ? undefined : SOUNDS[name];
  return sound ? `${publicUrl}${PATH}${sound.file}` : null;
}

export function waitSoundRoutes(api: Api): void {
  const made = new Map<string, Buffer>();
  api.server.get<{ Params: { file: string } }>(
    `${PATH}:file`,
    { schema: { hide: true } },
    async (request, reply) => {
      const { file } = request.params;
      const sound = Object.values(SOUNDS).find((candidate) => candidate.file === file);
      if (!sound) throw new Fault("not-found", "There is no such sound.");
      const bytes = made.get(file) ?? wav(sound.make());
      made.set(file, bytes);
      return reply.type("audio/wav").header("cache-control", "public, max-age=86400").send(bytes);
    },
  );
}

/** A sound of ours by its address, as samples; null: it is none of ours. */
export function soundAt(url: string): { rate: number; samples: Int16Array } | null {
  const file = url.split(PATH)[1];
  const sound = Object.values(SOUNDS).find((candidate) => candidate.file === file);
  return sound ? { rate: RATE_hz, samples: samplesOf(sound.make()) } : null;
}

/** The same numbers from the same seed, between -1 and 1. */
function noise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Each key is a click of a few milliseconds that dies away; people type in bursts. */
function keyboard({ seed, keys_per_s }: { seed: number; keys_per_s: number }): Float64Array {
  const samples = new Float64Array(RATE_hz * LOOP_s);
  const random = noise(seed);
  const gap_s = 1 / keys_per_s;
  let at_s = 0.2;
  while (at_s < LOOP_s - 0.2) {
    const start = Math.round(at_s * RATE_hz);
    const loudness = 0.6 + 0.4 * random();
    for (let i = 0; i < RATE_hz * 0.03; i++) {
      const index = start + i;
      samples[index] = (samples[index] ?? 0) + loudness * random() * Math.exp(-i / (RATE_hz * 0.004));
    }
    const rest_s = random() > 0.8 ? 0.6 : 0;
    at_s += gap_s * (1 + 0.5 * random()) + rest_s;
  }
  return samples;
}

/** Dull noise that rises and falls as sentences do, several of it at once: people who talk a few desks away. */
function murmur({ seed, voices }: { seed: number; voices: number }): Float64Array {
  const samples = new Float64Array(RATE_hz * LOOP_s);
  for (let voice = 0; voice < voices; voice++) {
    const random = noise(seed * 100 + voice);
    const syllables = 2 + Math.round(2 * Math.abs(random()));
    const phase = random() * Math.PI;
    let dull = 0;
    for (let i = 0; i < samples.length; i++) {
      dull += 0.12 * (random() - dull);
      // A whole number of syllables in the loop, so that its end fits its beginning.
      const turn = (2 * Math.PI * syllables * LOOP_s * i) / samples.length;
      samples[i] = (samples[i] ?? 0) + dull * Math.max(0, Math.sin(turn + phase)) ** 2;
    }
  }
  return samples;
}

const wav = (samples: Float64Array): Buffer => writeWav({ rate: RATE_hz, channels: [samplesOf(samples)] });

/** 16 bits, as loud as `PEAK`. */
function samplesOf(samples: Float64Array): Int16Array {
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return Int16Array.from(samples, (sample) => Math.round((sample / loudest) * PEAK * 32_767));
}
