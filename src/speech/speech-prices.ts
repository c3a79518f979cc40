import type { HearingName, OwnSpeechPrices, SpeakingName } from "../base/engine-order.ts";

/*
 * What services that hear and speak on calls cost by list price. Estimates, not bills: plans differ, and prices change. The
 * operator's own stand in SPEECH_PRICES. A price for which no page was found is left out, and what such a call cost is then
 * not known.
 */

/** US dollars, for a minute of audio or for a thousand characters of text. */
type ListPrice = { usd: number; per: "minute" | "characters"; source: string; as_of: string };

const HEARING_PRICES: Partial<Record<HearingName, ListPrice>> = {
  // Flux for several languages; for English alone it is less.
  deepgram: { usd: 0.0078, per: "minute", source: "deepgram.com/pricing", as_of: "2026-11" },
  // By the hour, and by how long the socket is open.
  assemblyai: {
    usd: 0.0025,
    per: "minute",
    source: "assemblyai.com/blog/introducing-universal-streaming",
    as_of: "2025-06",
  },
  openai: { usd: 0.006, per: "minute", source: "platform.openai.com/docs/pricing", as_of: "2026-04" },
  offline: { usd: 0, per: "minute", source: "this machine", as_of: "always" },
};

const SPEAKING_PRICES: Partial<Record<SpeakingName, ListPrice>> = {
  // As others quote it; the page itself was not found.
  elevenlabs: {
    usd: 0.05,
    per: "characters",
    source: "developer.puter.com/tutorials/elevenlabs-api-pricing",
    as_of: "2026-06",
  },
  // A credit a character (docs.cartesia.ai/pricing), 1.25 million of them for $49.
  cartesia: { usd: 0.0392, per: "characters", source: "docs.cartesia.ai/pricing", as_of: "2026-06" },
  // Charged by tokens of audio; the service's own estimate.
  openai: { usd: 0.015, per: "minute", source: "platform.openai.com/docs/pricing", as_of: "2025-03" },
  // As others quote it; the page itself was not found.
  google: {
    usd: 0.03,
    per: "characters",
    source: "codesota.com/speech/openai-tts-vs-google-tts",
    as_of: "2026-04",
  },
  offline: { usd: 0, per: "minute", source: "this machine", as_of: "always" },
};

export function hearingPrice(name: HearingName, own: OwnSpeechPrices): { minute_usd?: number } {
  const usd = own.hearing[name] ?? HEARING_PRICES[name]?.usd;
  return usd === undefined ? {} : { minute_usd: usd };
}

export function speakingPrice(
  name: SpeakingName,
  own: OwnSpeechPrices,
): { minute_usd?: number; thousand_characters_usd?: number } {
  const set = own.speaking[name];
  if (set !== undefined) return { thousand_characters_usd: set };
  const listed = SPEAKING_PRICES[name];
  if (!listed) return {};
  return listed.per === "minute" ? { minute_usd: listed.usd } : { thousand_characters_usd: listed.usd };
}
