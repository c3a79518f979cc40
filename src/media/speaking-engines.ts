import { createHash } from "node:crypto";
import type { OwnSpeechPrices, SpeakingName } from "../base/engine-order.ts";
import { Fault } from "../base/errors.ts";
import type { Egress } from "../egress/egress.ts";
import type { SocketDoor } from "../egress/socket-door.ts";
import { keepingSpeech, SpeechStore } from "../speech/kept-speech.ts";
import type { LanguageCode } from "../speech/languages.ts";
import type { Speaking, Utterance } from "../speech/speaking.ts";
import { speakingPrice } from "../speech/speech-prices.ts";
import { type SpeechAccess, voiceId } from "../speech/speech-service.ts";
import { SPEECH_SERVICES } from "../speech/speech-services.ts";
import { createHttpSpeaking } from "../speech/streaming/http-voice.ts";
import { createRemoteSpeaking, type RemoteSpeaking } from "../speech/streaming/remote-voice.ts";
import { cartesia } from "../speech/streaming/speak-cartesia.ts";
import { deepgramAura } from "../speech/streaming/speak-deepgram.ts";
import { elevenLabs } from "../speech/streaming/speak-elevenlabs.ts";
import type { SpeakingService } from "../speech/streaming/speaking-service.ts";
import { type AgentVoice, type TtsProvider, VOICES } from "../speech/voices.ts";

export type ServiceName = Exclude<SpeakingName, "offline">;

export const SPEAKING_TITLES: Record<ServiceName, string> = {
  elevenlabs: elevenLabs.name,
  cartesia: cartesia.name,
  deepgram: deepgramAura.name,
  openai: "OpenAI",
  google: "Google",
};

/** Which service speaks with the voices of a provider. */
export const SERVICE_OF: Record<TtsProvider, ServiceName> = {
  ElevenLabs: "elevenlabs",
  Cartesia: "cartesia",
  OpenAI: "openai",
  Google: "google",
};

/** Aura's voices are in no catalogue of ours: one for each language that it stands in for. */
const AURA_VOICES: Record<string, string> = { en: "aura-2-thalia-en", es: "aura-2-celeste-es" };

/** Ids of voices, by account; an account has some twenty of ours. */
const MOST_IDS = 1000;

/** Kept over calls: ids of voices, and greetings that were made beforehand. */
export class KeptVoices {
  readonly speech = new SpeechStore();
  readonly #ids = new Map<string, Promise<string>>();

  /** A voice's id in this account. */
  id(
    egress: Egress,
    provider: TtsProvider,
    access: SpeechAccess,
    { voice, language }: { voice: AgentVoice; language: LanguageCode },
  ): Promise<string> {
    const key = `${provider} ${voice.display_name} ${accountOf(access)}`;
    const known = this.#ids.get(key);
    if (known) return known;
    const speech = { text: "", language, voice, speed: null, pitch: null };
    const found = voiceId(egress, SPEECH_SERVICES[provider], access, speech);
    if (this.#ids.size >= MOST_IDS) this.#ids.clear();
    this.#ids.set(key, found);
    // The account may have it later.
    found.catch(() => this.#ids.delete(key));
    return found;
  }
}

type Parts = {
  egress: Egress;
  door: SocketDoor;
  prices: OwnSpeechPrices;
  kept: KeptVoices;
  /** What each service is reached with; one without a key is not used. */
  access: { [Name in ServiceName]?: SpeechAccess | null | undefined };
};

/** The services that speak on one call, each made when it is first asked for. */
export class SpeakingEngines {
  readonly #parts: Parts;
  readonly #made = new Map<ServiceName, Speaking | null>();
  readonly #open: RemoteSpeaking[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** null: there is no key for it. */
  of(name: ServiceName): Speaking | null {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const access = this.#parts.access[name];
    const made = access ? this.#kept(this.#make(name, access), name, access) : null;
    this.#made.set(name, made);
    return made;
  }

  close(): void {
    for (const engine of this.#open) engine.close();
  }

  #make(name: ServiceName, access: SpeechAccess): Speaking {
    const { egress, door } = this.#parts;
    switch (name) {
      case "elevenlabs":
        return this.#streamed(elevenLabs, "ElevenLabs", access);
      case "cartesia":
        return this.#streamed(cartesia, "Cartesia", access);
      case "deepgram":
        return this.#opened(
          createRemoteSpeaking({ service: deepgramAura, access, door, voiceOf: auraVoice }),
        );
      case "openai":
      case "google": {
        const provider = name === "openai" ? "OpenAI" : "Google";
        const voiceOf = (utterance: Omit<Utterance, "text">) => catalogueVoice(provider, utterance);
        return createHttpSpeaking({ provider, access, egress, voiceOf });
      }
    }
  }

  #streamed(service: SpeakingService, provider: TtsProvider, access: SpeechAccess): RemoteSpeaking {
    const { egress, door, kept } = this.#parts;
    return this.#opened(
      createRemoteSpeaking({
        service,
        access,
        door,
        async voiceOf(utterance) {
          const voice = catalogueVoice(provider, utterance);
          const language = utterance.language as LanguageCode;
          return { id: await kept.id(egress, provider, access, { voice, language }), model: voice.model };
        },
      }),
    );
  }

  #opened(engine: RemoteSpeaking): RemoteSpeaking {
    this.#open.push(engine);
    return engine;
  }

  #kept(engine: Speaking, name: ServiceName, access: SpeechAccess): Speaking {
    const { prices, kept } = this.#parts;
    return keepingSpeech(
      { ...engine, ...speakingPrice(name, prices) },
      { store: kept.speech, scope: `${name} ${accountOf(access)}`, only_beforehand: true },
    );
  }
}

export const speaksIn = (name: ServiceName, language: string): boolean =>
  name === "deepgram"
    ? (language.split("-")[0] ?? "") in AURA_VOICES
    : VOICES.some((voice) => SERVICE_OF[voice.provider] === name && speaks(voice, language));

const speaks = (voice: AgentVoice, language: string): boolean =>
  voice.supported_languages.some(({ code }) => code === language);

/** The named voice, or, of a provider that stands in for another, its first of the language. */
function catalogueVoice(provider: TtsProvider, { voice, language }: Omit<Utterance, "text">): AgentVoice {
  const all = VOICES.filter((candidate) => candidate.provider === provider && speaks(candidate, language));
  const found = all.find(({ var_name }) => var_name.split(/[:/]/).at(-1) === voice) ?? all.at(0);
  if (!found) throw new Fault("unsupported", `${provider} has no voice for ${language}.`);
  return found;
}

async function auraVoice({ language }: Omit<Utterance, "text">) {
  const model = AURA_VOICES[language.split("-")[0] ?? ""];
  if (!model) throw new Fault("unsupported", `Deepgram Aura speaks no ${language}.`);
  return { id: model, model };
}

/** Names an account without telling its key. */
const accountOf = ({ api_key, base_url }: SpeechAccess): string =>
  `${base_url ?? ""} ${createHash("sha256").update(api_key).digest("base64")}`;
