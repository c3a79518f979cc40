/** What may hear and speak on calls whose audio is ours, as the settings name it. */
export const HEARING_NAMES = ["deepgram", "assemblyai", "openai", "offline"] as const;
export const SPEAKING_NAMES = ["elevenlabs", "cartesia", "deepgram", "openai", "google", "offline"] as const;
export type HearingName = (typeof HEARING_NAMES)[number];
export type SpeakingName = (typeof SPEAKING_NAMES)[number];

/** In the order in which they are tried. */
export type EngineOrder = { hearing: readonly HearingName[]; speaking: readonly SpeakingName[] };
