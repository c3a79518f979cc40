/** What may hear and speak on calls whose audio is ours, as the settings name it. */
export const HEARING_NAMES = ["deepgram", "assemblyai", "openai", "offline"] as const;
export const SPEAKING_NAMES = ["elevenlabs", "cartesia", "deepgram", "openai", "google", "offline"] as const;
export type HearingName = (typeof HEARING_NAMES)[number];
export type SpeakingName = (typeof SPEAKING_NAMES)[number];

/** In the order in which they are tried. */
export type EngineOrder = { hearing: readonly HearingName[]; speaking: readonly SpeakingName[] };

/** The operator's own prices in US dollars: of what hears for a minute, of what speaks for a thousand characters. */
export type OwnSpeechPrices = {
  hearing: Partial<Record<HearingName, number>>;
  speaking: Partial<Record<SpeakingName, number>>;
};

/** "deepgram.hearing=0.0065,deepgram.speaking=0.03"; null: it can't be read. */
export function parseSpeechPrices(text: string): OwnSpeechPrices | null {
  const prices: OwnSpeechPrices = { hearing: {}, speaking: {} };
  for (const part of text.split(",")) {
    const [, name, does, usd] =
      /^\s*([a-z]+)\.(hearing|speaking)=(\d{1,4}(?:\.\d{1,9})?)\s*$/.exec(part) ?? [];
    const hears = HEARING_NAMES.find((known) => known === name);
    const speaks = SPEAKING_NAMES.find((known) => known === name);
    if (does === "hearing" && hears) prices.hearing[hears] = Number(usd);
    else if (does === "speaking" && speaks) prices.speaking[speaks] = Number(usd);
    else return null;
  }
  return prices;
}
