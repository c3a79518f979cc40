import { trimSilence } from "../../audio/level.ts";
import { Fault } from "../../base/errors.ts";
import { createWorkerPool, WorkGivenUp } from "../../base/worker-pool.ts";
import type { Speaking, SpokenAudio, Utterance } from "../speaking.ts";
import type { FliteVoice, FliteWork } from "./flite-worker.ts";
import { readPhones, wordPlaces } from "./word-places.ts";

/** Flite's voices of 16 kHz: a Scottish and two American men, an American woman. */
const VOICES: readonly FliteVoice[] = ["slt", "rms", "awb", "kal16"];
const RATE = 16_000;
/** A sentence of 10 s is made in about 100 ms. */
const LIMITS = { cpu_ms: 5000, wall_ms: 15_000, memory_mb: 128, most_waiting: 500 };
/** Of one piece: more is no sentence. */
const MAX_CHARACTERS = 2000;

/**
 * The mouth that needs no network and no key: English only. It stands in for a provider's voice, and is labelled so
 * wherever it is offered.
 */
export function createLocalSpeaking({ threads }: { threads: number }): Speaking & { close(): Promise<void> } {
  const pool = createWorkerPool<FliteWork>(new URL("flite-worker.ts", import.meta.url), {
    threads,
    ...LIMITS,
  });

  async function* speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const { text, language, voice, speed } = utterance;
    if (!language.toLowerCase().startsWith("en")) {
      throw new Fault("unavailable", `The offline voice speaks English only, not ${language}.`);
    }
    const speech = {
      text: text.slice(0, MAX_CHARACTERS),
      voice: VOICES.find((known) => known === voice) ?? "slt",
      speed: Math.min(2, Math.max(0.5, speed ?? 1)),
    };
    signal.throwIfAborted();
    const made = await pool.run("speak", speech).catch((error) => {
      if (error instanceof WorkGivenUp)
        throw new Fault("unavailable", `The offline voice failed: ${error.message}.`);
      throw error;
    });
    if (signal.aborted) return;
    // It begins with a quarter of a second of silence, which would be heard as a slower answer.
    const { samples, trimmed_start } = trimSilence(made.samples, { rate: RATE });
    const places = wordPlaces(speech.text, readPhones(made.phones), RATE);
    const aligned = places.map((word) => ({
      ...word,
      begins: Math.max(0, word.begins - trimmed_start),
      ends: Math.max(0, word.ends - trimmed_start),
    }));
    yield { samples, aligned };
  }

  return { name: "Flite (offline stand-in)", minute_usd: 0, rate: RATE, speak, close: () => pool.close() };
}
