import path from "node:path";
import { join, trimSilence } from "../../audio/level.ts";
import { silence } from "../../audio/tones.ts";
import { Fault } from "../../base/errors.ts";
import { createWorkerPool, WorkGivenUp } from "../../base/worker-pool.ts";
import type { Speaking, SpokenAudio, Utterance } from "../speaking.ts";
import type { FliteVoice, FliteWork } from "./flite-worker.ts";
import type { ModelVoiceWork } from "./model-voice-worker.ts";
import { modelFor, type SpeakingModel } from "./speech-models.ts";
import { readPhones, wordPlaces } from "./word-places.ts";

/** Flite's voices of 16 kHz: a Scottish and two American men, an American woman. */
const VOICES: readonly FliteVoice[] = ["slt", "rms", "awb", "kal16"];
const RATE = 16_000;
/** A sentence of 10 s is made in about 100 ms. */
const LIMITS = { cpu_ms: 5000, wall_ms: 15_000, memory_mb: 128, most_waiting: 500 };
/** The first sentence waits until its model is loaded. */
const MODEL_LIMITS = { cpu_ms: 60_000, wall_ms: 90_000, memory_mb: 256, most_waiting: 500 };
/** Up to a comma or the end of a sentence, after a few words. "Dr." ends none. */
const FIRST_PIECE = /^.{20,}?(?:[,;:!?]|[a-z]{3}\.)\s/s;
/** A rest shorter than this is not worth a piece of its own. */
const LEAST_REST = 16;
/** Of one text: more is no sentence. */
const MAX_CHARACTERS = 2000;

/**
 * The mouth that needs no network and no key: English only. It stands in for a provider's voice, and is labelled so
 * wherever it is offered.
 */
export function createLocalSpeaking({
  threads,
  models = [],
}: {
  threads: number;
  models?: readonly SpeakingModel[];
}): Speaking & { close(): Promise<void> } {
  const voices = createWorkerPool<ModelVoiceWork>(new URL("model-voice-worker.ts", import.meta.url), {
    threads,
    ...MODEL_LIMITS,
  });
  const pool = createWorkerPool<FliteWork>(new URL("flite-worker.ts", import.meta.url), {
    threads,
    ...LIMITS,
  });

  async function* speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const { language, voice, speed } = utterance;
    const model = modelFor(models, language);
    if (model) {
      yield* speakByModel(model, utterance, signal);
      return;
    }
    if (!language.toLowerCase().startsWith("en")) {
      throw new Fault("unavailable", `The offline voice speaks English only, not ${language}.`);
    }
    const how = {
      voice: VOICES.find((known) => known === voice) ?? "slt",
      speed: paceOf(speed),
    };
    let character = 0;
    let sample = 0;
    for (const { text, pause_ms } of piecesOf(utterance.text.slice(0, MAX_CHARACTERS))) {
      signal.throwIfAborted();
      const { samples, aligned } = await make({ text, ...how });
      if (signal.aborted) return;
      const pause = silence(RATE, pause_ms);
      yield {
        samples: join([samples, pause]),
        aligned: aligned.map(({ from, to, begins, ends }) => ({
          from: from + character,
          to: to + character,
          begins: begins + sample,
          ends: ends + sample,
        })),
      };
      character += text.length;
      sample += samples.length + pause.length;
    }
  }

  /** A sentence at a time, without alignment. */
  async function* speakByModel(
    model: SpeakingModel,
    { text, voice, speed }: Utterance,
    signal: AbortSignal,
  ): AsyncGenerator<SpokenAudio> {
    for (const piece of piecesOf(text.slice(0, MAX_CHARACTERS))) {
      signal.throwIfAborted();
      const asked = { model, text: piece.text, voice: Number(voice) || 0, speed: paceOf(speed), rate: RATE };
      const made = await voices.run("speak", asked).catch(given);
      if (signal.aborted) return;
      yield {
        samples: join([trimSilence(made, RATE).samples, silence(RATE, piece.pause_ms)]),
        aligned: [],
      };
    }
  }

  async function make(speech: { text: string; voice: FliteVoice; speed: number }): Promise<SpokenAudio> {
    const made = await pool.run("speak", speech).catch(given);
    // It begins with a quarter of a second of silence, which would be heard as a slower answer.
    const { samples, trimmed_start } = trimSilence(made.samples, RATE);
    const aligned = wordPlaces(speech.text, readPhones(made.phones), RATE).map((word) => ({
      ...word,
      begins: Math.max(0, word.begins - trimmed_start),
      ends: Math.max(0, word.ends - trimmed_start),
    }));
    return { samples, aligned };
  }

  return {
    name: models[0] ? `sherpa-onnx: ${path.basename(models[0].folder)}` : "Flite (offline stand-in)",
    minute_usd: 0,
    rate: RATE,
    speak,
    close: async () => {
      await Promise.all([pool.close(), voices.close()]);
    },
  };
}

function given(error: unknown): never {
  if (error instanceof WorkGivenUp)
    throw new Fault("unavailable", `The offline voice failed: ${error.message}.`);
  throw error;
}

const paceOf = (speed: number | null): number => Math.min(2, Math.max(0.5, speed ?? 1));

/**
 * A long text is made in two pieces, the first up to a comma or the end of a sentence: its sound is there while the rest is
 * made. `pause_ms`: after the piece, as the voice itself pauses there.
 */
function piecesOf(text: string): { text: string; pause_ms: number }[] {
  const [first] = FIRST_PIECE.exec(text) ?? [];
  if (first === undefined || text.length - first.length < LEAST_REST) return [{ text, pause_ms: 0 }];
  return [
    { text: first, pause_ms: /[,;:]\s$/.test(first) ? 120 : 300 },
    { text: text.slice(first.length), pause_ms: 0 },
  ];
}
