/** The names of ElevenLabs' own voices by their ids, as its GET /v1/voices answers them to everybody; of those that Parley has. */
export const ELEVENLABS_VOICES: Record<string, string> = {
  Xb7hH8MSUJpSbSDYk0k2: "Alice",
  XB0fDUnXU5powFXDhCwa: "Charlotte",
  cgSgspJ2msm6clMCkdW9: "Jessica",
  FGY2WhTYpPnrIDTdsKH5: "Laura",
  pFZP5JQG7iQjIQuC4Bku: "Lily",
  XrExE9yKIg1WjnnlVkGX: "Matilda",
  SAz9YHcvj6GT2YYXdXww: "River",
  EXAVITQu4vr4xnSDxMaL: "Sarah",
  pqHfZKP75CvOlQylNhV4: "Bill",
  nPczCjzI2devNBz1zQrb: "Brian",
  N2lVS1w4EtoT3dr4eOWO: "Callum",
  IKne3meq5aSn9XLyUdCD: "Charlie",
  iP95p4xoKVk53GoZ742B: "Chris",
  onwK4e9ZLuTAKqWW03F9: "Daniel",
  cjVigY5qzO86Huf0OWal: "Eric",
  JBFqnCBsd6RMkjVDRZzb: "George",
  TX3LPaxmHKxFdv7VOQHJ: "Liam",
  CwhRBWXzGAHq8TQ4Fs17: "Roger",
  bIHbv24MWmeRgasZH58o: "Will",
};

export const nameOfElevenLabs = (id: string): string | undefined =>
  Object.hasOwn(ELEVENLABS_VOICES, id) ? ELEVENLABS_VOICES[id] : undefined;
