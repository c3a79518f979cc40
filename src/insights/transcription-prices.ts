import type { Transcriber, TranscriptionArguments } from "./tool-arguments.ts";

/** US dollars for a minute of sound, list price. An estimate, not a bill. */
export type MinutePrice = { minute_usd: number; source: string; as_of: string };

const OPENAI = { source: "platform.openai.com/docs/pricing", as_of: "2026-04" };
const DEEPGRAM = { source: "deepgram.com/pricing", as_of: "2026-05" };

/** Pre-recorded sound, pay as you go; `speakers_usd` comes on top where speakers are told apart. */
type Listed = MinutePrice & { speakers_usd: number };
const openai = (minute_usd: number): Listed => ({ minute_usd, speakers_usd: 0, ...OPENAI });
const deepgram = (minute_usd: number): Listed => ({ minute_usd, speakers_usd: 0.002, ...DEEPGRAM });

/** By the beginning of the model's name; the longest that fits counts. */
const PRICES: Record<Transcriber, Record<string, Listed>> = {
  openai: {
    "whisper-1": openai(0.006),
    "gpt-4o-transcribe": openai(0.006),
    "gpt-4o-mini-transcribe": openai(0.003),
  },
  deepgram: { "nova-3": deepgram(0.0043), "nova-2": deepgram(0.0043) },
  // Priced by tokens, of sound as of words.
  google: {},
};

/** null where the price is not known. Pure. */
export function transcriptionPrice({
  provider,
  model,
  diarize,
}: Pick<TranscriptionArguments, "provider" | "model" | "diarize">): MinutePrice | null {
  const fitting = Object.entries(PRICES[provider]).filter(([name]) => model.startsWith(name));
  const listed = fitting.toSorted(([a], [b]) => b.length - a.length)[0]?.[1];
  if (!listed) return null;
  const { speakers_usd, ...price } = listed;
  return { ...price, minute_usd: price.minute_usd + (diarize ? speakers_usd : 0) };
}
