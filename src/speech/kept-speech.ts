import type { Speaking, SpokenAudio, Utterance } from "./speaking.ts";

/*
 * Speech that was made is kept for a while: greetings, bridge phrases and answers that come again, and sentences that were
 * made before it was known that they would be said. Made once, even where two lines ask for it at the same time.
 */

/** Longer texts rarely come again. */
const MOST_CHARACTERS = 300;

type Kept = { parts: SpokenAudio[]; isWhole: boolean; bytes: number };

/** `most_bytes`: the least recently said is let go beyond it. */
export function keepingSpeech(speaking: Speaking, { most_bytes = 16_000_000 } = {}): Speaking {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  const keep = (key: string, made: Kept) => {
    if (made.bytes > most_bytes || kept.has(key)) return;
    kept.set(key, made);
    bytes += made.bytes;
    for (const [oldest, { bytes: size }] of kept) {
      if (bytes <= most_bytes) return;
      kept.delete(oldest);
      bytes -= size;
    }
  };

  const making = new Map<string, Promise<void>>();

  async function* make(utterance: Utterance, key: string, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const made: Kept = { parts: [], isWhole: false, bytes: 0 };
    const { promise, resolve } = Promise.withResolvers<void>();
    making.set(key, promise);
    try {
      for await (const part of speaking.speak(utterance, signal)) {
        made.parts.push(part);
        made.bytes += part.samples.byteLength;
        yield part;
      }
      if (!signal.aborted) keep(key, made);
    } finally {
      if (making.get(key) === promise) making.delete(key);
      resolve();
    }
  }

  async function* speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const { text, language, voice, speed } = utterance;
    if (text.length > MOST_CHARACTERS) return yield* speaking.speak(utterance, signal);
    const key = JSON.stringify([text, language, voice, speed]);
    for (let busy = making.get(key); busy; busy = making.get(key)) await busy;
    if (signal.aborted) return;
    const known = kept.get(key);
    if (!known) return yield* make(utterance, key, signal);
    kept.delete(key);
    kept.set(key, known);
    for (const part of known.parts) yield { ...part, isKept: true };
  }

  return { ...speaking, keeps: true, speak };
}
