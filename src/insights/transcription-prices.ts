import type { Transcriber, TranscriptionArguments } from "./tool-arguments.ts";

/** US dollars for a minute of sound, list price. An estimate, not a bill. */
export type MinutePrice = { minute_usd: number; source: string; as_of: string };

const price = (minute_usd: number, source: string): MinutePrice => ({ minute_usd, source, as_of: "2025-10" });

const OPENAI = "platform.openai.com/docs/pricing";
const DEEPGRAM = "deepgram.com/pricing";

/** By the beginning of the model's name; the longest that fits counts. */
const PRICES: Record<Transcriber, Record<string, MinutePrice>> = {
  openai: {
    "whisper-1": price(0.006, OPENAI),
    "gpt-4o-transcribe": price(0.006, OPENAI),
    "gpt-4o-mini-transcribe": price(0.003, OPENAI),
  },
  deepgram: { "nova-3": price(0.0043, DEEPGRAM), "nova-2": price(0.0043, DEEPGRAM) },
  // Priced by tokens, of sound as of words.
  google: {},
};

/** null where the price is not known. Pure. */
export function transcriptionPrice({
  provider,
  model,
}: Pick<TranscriptionArguments, "provider" | "model">): MinutePrice | null {
  const fitting = Object.entries(PRICES[provider]).filter(([name]) => model.startsWith(name));
  return fitting.toSorted(([a], [b]) => b.length - a.length)[0]?.[1] ?? null;
}
