import { fileURLToPath } from "node:url";
import sherpa from "sherpa-onnx-node";
import { join } from "../../audio/level.ts";
import { HEARING_RATE, type Heard } from "../hearing.ts";
import type { TakenRecognizer } from "./recognizers.ts";
import { VoiceEnd } from "./voice-end.ts";

const MODEL = fileURLToPath(new URL("silero-vad.onnx", import.meta.url));
/** The model judges windows of 32 ms. */
const WINDOW = 512;
const THRESHOLD = 0.5;
/** Turn-taking decides how much of a voice stops us, so it is told early. A cough is shorter than most words and longer than this: words confirm what the voice detection says. */
const MIN_SPEECH_S = 0.06;
const MIN_SILENCE_S = 0.1;
/** The words that begin an utterance are older than its detection. */
const PRE_ROLL_MS = 500;
/** So long after the voice's last sound an utterance is taken for ended; a pause between two words is shorter. */
const TAIL_MS = 300;

export type EarStream = {
  push(frame: Int16Array): void;
  /** Resolves once the words of each utterance that is over are told. */
  caughtUp(): Promise<void>;
  close(): void;
};
type Listener = { tell(heard: Heard): void; fail(error: unknown): void };

/** One line's ear. Without a recognizer it tells when somebody speaks, and no words. */
export function openEarStream(recognizer: TakenRecognizer | null, { tell, fail }: Listener): EarStream {
  const vad = new sherpa.Vad(
    {
      sileroVad: {
        model: MODEL,
        threshold: THRESHOLD,
        minSpeechDuration: MIN_SPEECH_S,
        minSilenceDuration: MIN_SILENCE_S,
        maxSpeechDuration: 3600,
        windowSize: WINDOW,
      },
      sampleRate: HEARING_RATE,
      numThreads: 1,
      debug: 0,
    },
    60,
  );
  let window = new Float32Array(0);
  let recent: Int16Array[] = [];
  let samples = 0;
  let speaks = false;
  const end = new VoiceEnd();
  let utterance: { text: string; ends_at: number | null } | null = null;
  /** Utterances that are over, and whose words are not told yet. */
  let untold = 0;
  let told: Promise<void> = Promise.resolve();

  const now_ms = () => Math.round((samples * 1000) / HEARING_RATE);

  const detect = (frame: Int16Array): boolean => {
    const all = new Float32Array(window.length + frame.length);
    all.set(window);
    for (const [at, sample] of frame.entries()) all[window.length + at] = sample / 32_768;
    let at = 0;
    for (; at + WINDOW <= all.length; at += WINDOW) vad.acceptWaveform(all.slice(at, at + WINDOW));
    window = all.slice(at);
    while (!vad.isEmpty()) vad.pop();
    return vad.isDetected();
  };

  const finish = () => {
    if (!utterance) return;
    utterance = null;
    if (!recognizer) return;
    untold += 1;
    const words = recognizer.end();
    if (typeof words === "string") tellFinal(words);
    else told = words.then(tellFinal).catch(fail);
  };

  const tellFinal = (text: string) => {
    untold -= 1;
    tell({ type: "final", text, words_follow: untold > 0 || utterance !== null });
  };

  const hear = (frame: Int16Array) => {
    if (!utterance || !recognizer) return;
    const text = recognizer.push(frame);
    if (text === utterance.text || text === "") return;
    utterance.text = text;
    tell({ type: "partial", text });
  };

  return {
    push(frame) {
      samples += frame.length;
      end.push(frame, now_ms());
      const detected = detect(frame);
      if (detected && !speaks) {
        end.begin();
        tell({ type: "speech_started", at_ms: Math.max(0, now_ms() - MIN_SPEECH_S * 1000) });
        if (utterance) utterance.ends_at = null;
        else {
          utterance = { text: "", ends_at: null };
          recognizer?.begin();
          hear(join(recent));
        }
      }
      if (!detected && speaks) {
        const at_ms = end.endBefore(Math.max(0, now_ms() - MIN_SILENCE_S * 1000));
        tell({ type: "speech_stopped", at_ms, words_follow: recognizer !== null });
        if (utterance) {
          utterance.ends_at = at_ms + TAIL_MS;
          recognizer?.pause?.();
        }
      }
      speaks = detected;
      hear(frame);
      if (utterance?.ends_at != null && now_ms() >= utterance.ends_at) finish();
      recent = [...recent, frame].slice(-PRE_ROLL_MS / 20);
    },
    caughtUp: () => told,
    close() {
      const isWithin = utterance !== null;
      utterance = null;
      try {
        if (isWithin) void Promise.resolve(recognizer?.end()).catch(() => {});
      } finally {
        recognizer?.giveBack();
      }
    },
  };
}
