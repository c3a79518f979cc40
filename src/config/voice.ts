import {
  type EngineOrder,
  HEARING_NAMES,
  type OwnSpeechPrices,
  parseSpeechPrices,
  SPEAKING_NAMES,
} from "../base/engine-order.ts";
import type { Setting, SettingReader } from "./setting-reader.ts";

/** What hears and speaks on calls. */
export type VoiceConfig = {
  /** In the order they are asked. */
  voice_order: EngineOrder;
  /** Folders of models that hear or speak on this machine, each for a language. */
  speech_models: { language: string; folder: string }[];
  /** What hearing and speaking cost the operator, in place of list prices. */
  speech_prices: OwnSpeechPrices;
  speech_base_urls: Partial<Record<SpeechName, string>>;
  deepgram_base_url: string | null;
  assemblyai_base_url: string | null;
  /** The most calls whose audio this process hears and speaks at once; null: by its cores. */
  voice_calls: number | null;
};

export type VoiceSecrets = {
  speech_api_keys: Partial<Record<SpeechName, string>>;
  deepgram_api_key: string | null;
  assemblyai_api_key: string | null;
};

export const VOICE_SETTINGS: Setting[] = [
  {
    name: "VOICE_HEARING",
    example: "deepgram,assemblyai,offline",
    about:
      "What listens on calls whose audio Parley handles, in order: the first that has a key and knows the language; the next where it fails. deepgram, assemblyai, openai, offline.",
  },
  {
    name: "VOICE_SPEAKING",
    example: "elevenlabs,cartesia,deepgram,offline",
    about:
      "What speaks there, after the service of the voice that the agent's language names. elevenlabs, cartesia, deepgram, openai, google, offline.",
  },
  {
    name: "SPEECH_MODELS",
    example: "",
    about:
      "Folders of sherpa-onnx models that hear or speak on this machine, each with its language: en=/opt/models/sherpa-onnx-whisper-base,en=/opt/models/vits-piper-en_US-amy-low. They come before what hears and speaks offline. A model that can't be loaded keeps Parley from starting.",
  },
  {
    name: "SPEECH_PRICES",
    example: "",
    about:
      "What hearing and speaking on calls costs you, where it is not the list price or none is known: deepgram.hearing=0.0065,deepgram.speaking=0.03. US dollars, of hearing for a minute, of speaking for 1,000 characters. It counts for calls from then on.",
  },
  {
    name: "ASSEMBLYAI_API_KEY",
    example: "",
    about: "Key for AssemblyAI, which listens on calls.",
  },
  {
    name: "ASSEMBLYAI_BASE_URL",
    example: "https://streaming.assemblyai.com",
    about: "Where its streaming API is; in the EU https://streaming.eu.assemblyai.com.",
  },
  {
    name: "ELEVENLABS_API_KEY",
    example: "",
    about: "Key for ElevenLabs, which speaks on calls and in samples of its voices.",
  },
  {
    name: "ELEVENLABS_BASE_URL",
    example: "https://api.elevenlabs.io",
    about: "Where the ElevenLabs API is.",
  },
  {
    name: "CARTESIA_API_KEY",
    example: "",
    about: "Key for Cartesia, which speaks on calls and in samples of its voices.",
  },
  { name: "CARTESIA_BASE_URL", example: "https://api.cartesia.ai", about: "Where the Cartesia API is." },
  {
    name: "GOOGLE_SPEECH_API_KEY",
    example: "",
    about: "Key for Google's Text-to-Speech API; GOOGLE_API_KEY's when empty.",
  },
  {
    name: "GOOGLE_SPEECH_BASE_URL",
    example: "https://texttospeech.googleapis.com",
    about: "Where that API is.",
  },
  {
    name: "DEEPGRAM_API_KEY",
    example: "",
    about: "Key for Deepgram, which listens and speaks on calls, and transcribes recordings.",
  },
  { name: "DEEPGRAM_BASE_URL", example: "https://api.deepgram.com", about: "Where the Deepgram API is." },
  {
    name: "VOICE_CALLS",
    example: "50",
    about:
      "The most calls whose audio one process hears and speaks at once; further ones are busy. Empty: 25 for each core, at most 100; offline 6, at most 12.",
  },
];

/** Services that speak, as the API names them, and how their settings begin. */
const SPEECH_SERVICES = { ElevenLabs: "ELEVENLABS", Cartesia: "CARTESIA", Google: "GOOGLE_SPEECH" } as const;
export type SpeechName = keyof typeof SPEECH_SERVICES;

export function readVoice(read: SettingReader): VoiceConfig {
  const { given, url, someOf, wholeNumber } = read;
  return {
    voice_order: {
      hearing: someOf("VOICE_HEARING", HEARING_NAMES, ["deepgram", "assemblyai", "offline"]),
      speaking: someOf("VOICE_SPEAKING", SPEAKING_NAMES, ["elevenlabs", "cartesia", "deepgram", "offline"]),
    },
    speech_models: ownModels(read),
    speech_prices: ownPrices(read),
    speech_base_urls: ofServices((prefix) => url(`${prefix}_BASE_URL`, ["http:", "https:"])),
    deepgram_base_url: url("DEEPGRAM_BASE_URL", ["http:", "https:"]),
    assemblyai_base_url: url("ASSEMBLYAI_BASE_URL", ["http:", "https:"]),
    voice_calls: given("VOICE_CALLS") === null ? null : wholeNumber("VOICE_CALLS", 0, [0, 10_000]),
  };
}

export const readVoiceSecrets = ({ given }: SettingReader): VoiceSecrets => ({
  speech_api_keys: ofServices((prefix) => given(`${prefix}_API_KEY`)),
  deepgram_api_key: given("DEEPGRAM_API_KEY"),
  assemblyai_api_key: given("ASSEMBLYAI_API_KEY"),
});

/** By service, those that have one; asked for by how the service's settings begin. */
const ofServices = (read: (prefix: string) => string | null): Partial<Record<SpeechName, string>> =>
  Object.fromEntries(
    Object.entries(SPEECH_SERVICES).flatMap(([name, prefix]) => {
      const value = read(prefix);
      return value === null ? [] : [[name, value]];
    }),
  );

const ownModels = ({ list, faults }: SettingReader): VoiceConfig["speech_models"] =>
  list("SPEECH_MODELS").flatMap((part) => {
    const [, language, folder] = /^([a-zA-Z]{2,3}(?:-[a-zA-Z]{2,4})?)=(\/.*)$/.exec(part) ?? [];
    if (language && folder) return [{ language, folder }];
    faults.push(`SPEECH_MODELS has "${part}"; write a language and a folder: en=/opt/models/whisper.`);
    return [];
  });

function ownPrices({ given, faults }: SettingReader): OwnSpeechPrices {
  const none = { hearing: {}, speaking: {} };
  const text = given("SPEECH_PRICES");
  const prices = text === null ? none : parseSpeechPrices(text);
  if (prices === null)
    faults.push(
      `SPEECH_PRICES is "${text}"; write deepgram.hearing=0.0065,cartesia.speaking=0.03: US dollars, of hearing for a minute, of speaking for 1,000 characters.`,
    );
  return prices ?? none;
}
