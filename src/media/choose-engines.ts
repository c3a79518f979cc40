import { createHash } from "node:crypto";
import { providerSettings } from "../accounts/llm-provider.ts";
import type { Vault } from "../base/crypto.ts";
import type { EngineOrder, HearingName, OwnSpeechPrices, SpeakingName } from "../base/engine-order.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import type { SocketDoor } from "../egress/socket-door.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import type { Ear, Heard } from "../speech/hearing.ts";
import { keepingSpeech, SpeechStore } from "../speech/kept-speech.ts";
import type { LanguageCode } from "../speech/languages.ts";
import type { Speaking, Utterance } from "../speech/speaking.ts";
import { type SpeechSettings, speechAccessOf } from "../speech/speech-access.ts";
import { hearingPrice, speakingPrice } from "../speech/speech-prices.ts";
import { type CallSpeechSettings, callSpeechKeys } from "../speech/speech-provider.ts";
import { type SpeechAccess, voiceId } from "../speech/speech-service.ts";
import { SPEECH_SERVICES } from "../speech/speech-services.ts";
import { assemblyAi } from "../speech/streaming/hear-assemblyai.ts";
import { deepgramFlux } from "../speech/streaming/hear-deepgram.ts";
import { openaiRealtime } from "../speech/streaming/hear-openai.ts";
import type { HearingService } from "../speech/streaming/hearing-service.ts";
import { createHttpSpeaking } from "../speech/streaming/http-voice.ts";
import { createRemoteHearing, type RemoteHearing } from "../speech/streaming/remote-ear.ts";
import { createRemoteSpeaking, type RemoteSpeaking } from "../speech/streaming/remote-voice.ts";
import { cartesia } from "../speech/streaming/speak-cartesia.ts";
import { deepgramAura } from "../speech/streaming/speak-deepgram.ts";
import { elevenLabs } from "../speech/streaming/speak-elevenlabs.ts";
import type { SpeakingService } from "../speech/streaming/speaking-service.ts";
import { type AgentVoice, type TtsProvider, VOICES } from "../speech/voices.ts";
import type { ChosenEngines, EngineWish, VoiceEngines } from "./voice-engines.ts";

const HEARING: Record<Exclude<HearingName, "offline">, HearingService> = {
  deepgram: deepgramFlux,
  assemblyai: assemblyAi,
  openai: openaiRealtime,
};

const OF_CATALOGUE: Record<TtsProvider, SpeakingName> = {
  ElevenLabs: "elevenlabs",
  Cartesia: "cartesia",
  OpenAI: "openai",
  Google: "google",
};

/** Aura's voices are in no catalogue of ours: one for each language that it stands in for. */
const AURA_VOICES: Record<string, string> = { en: "aura-2-thalia-en", es: "aura-2-celeste-es" };

/** Ids of voices, by account; an account has some twenty of ours. */
const MOST_IDS = 1000;

type Parts = {
  db: Db;
  vault: Vault;
  egress: Egress;
  door: SocketDoor;
  /** Keys from the environment. */
  environment: { speech: CallSpeechSettings; llm: ProviderSettings; google: SpeechSettings };
  order: EngineOrder;
  /** The operator's own. */
  prices: OwnSpeechPrices;
  /** The engines of this machine. */
  local: VoiceEngines & { detect(tell: (heard: Heard) => void): Ear };
};

/**
 * Engines that are chosen for each call: by the agent's setting, by whose voice a language was given, and by the keys that
 * there are. Behind these stand the others, in the operator's order, and last the offline stand-ins.
 */
export function withServices(parts: Parts): VoiceEngines {
  const { local, order, environment } = parts;
  const ids = new Map<string, Promise<string>>();
  const store = new SpeechStore();
  const isThere = (name: HearingName) =>
    name === "openai" ? environment.llm.openai : name !== "offline" && environment.speech[name];
  const first = order.hearing.find(isThere);
  const speaks = order.speaking.find((name) => name in environment.speech);
  return {
    // What the page of a call names; a call of an organization with keys of its own may have others.
    hearing: first && first !== "offline" ? { ...local.hearing, name: HEARING[first].name } : local.hearing,
    speaking: speaks ? { ...local.speaking, name: NAMES[speaks] } : local.speaking,
    detection: local.detection,
    isOffline: first === undefined || first === "offline",
    missing: first ? null : local.missing,
    choose: (wish) => choose(parts, { ids, store }, wish),
  };
}

const NAMES: Record<SpeakingName, string> = {
  elevenlabs: elevenLabs.name,
  cartesia: cartesia.name,
  deepgram: deepgramAura.name,
  openai: "OpenAI",
  google: "Google",
  offline: "",
};

async function choose(
  parts: Parts,
  /** Shared by all calls: ids of voices, and greetings that were made beforehand. */
  { ids, store }: { ids: Map<string, Promise<string>>; store: SpeechStore },
  { sub_organization_id, stt_provider }: EngineWish,
): Promise<ChosenEngines> {
  const { db, vault, egress, door, environment, order, prices, local } = parts;
  const keys = await callSpeechKeys({ db, vault, callSpeech: environment.speech }, sub_organization_id);
  const models = await providerSettings({ db, vault, environment: environment.llm }, sub_organization_id);
  const google = await speechAccessOf({
    db,
    vault,
    environment: { speech: environment.google, llm: environment.llm },
  })(sub_organization_id, "Google");

  const ears = (): RemoteHearing[] => {
    const named: readonly HearingName[] = stt_provider?.startsWith("Deepgram") ? ["deepgram"] : [];
    return unique([...named, ...order.hearing]).flatMap((name) => {
      if (name === "offline") return [];
      const access = name === "openai" ? models.openai : keys[name];
      if (!access) return [];
      const ear = createRemoteHearing({ service: HEARING[name], access, door, detection: local.detect });
      return [{ ...ear, ...hearingPrice(name, prices) }];
    });
  };
  const hearings = ears();

  const id = (provider: TtsProvider, access: SpeechAccess, voice: AgentVoice, language: LanguageCode) => {
    const key = `${provider} ${voice.display_name} ${accountOf(access)}`;
    const known = ids.get(key);
    if (known) return known;
    const speech = { text: "", language, voice, speed: null, pitch: null };
    const found = voiceId(egress, SPEECH_SERVICES[provider], access, speech);
    if (ids.size >= MOST_IDS) ids.clear();
    ids.set(key, found);
    // The account may have it later.
    found.catch(() => ids.delete(key));
    return found;
  };
  const streamed = (service: SpeakingService, provider: TtsProvider, access: SpeechAccess) =>
    createRemoteSpeaking({
      service,
      access,
      door,
      async voiceOf(utterance) {
        const voice = catalogueVoice(provider, utterance);
        return {
          id: await id(provider, access, voice, utterance.language as LanguageCode),
          model: voice.model,
        };
      },
    });

  const open: RemoteSpeaking[] = [];
  const made = new Map<SpeakingName, Speaking | null>();
  const mouth = (name: SpeakingName): Speaking | null => {
    const keeping = (engine: Speaking, access: SpeechAccess) =>
      keepingSpeech(
        { ...engine, ...speakingPrice(name, prices) },
        { store, scope: `${name} ${accountOf(access)}`, only_beforehand: true },
      );
    const remote = (engine: RemoteSpeaking, access: SpeechAccess) => {
      open.push(engine);
      return keeping(engine, access);
    };
    switch (name) {
      case "elevenlabs":
        return keys.elevenlabs
          ? remote(streamed(elevenLabs, "ElevenLabs", keys.elevenlabs), keys.elevenlabs)
          : null;
      case "cartesia":
        return keys.cartesia ? remote(streamed(cartesia, "Cartesia", keys.cartesia), keys.cartesia) : null;
      case "deepgram": {
        const access = keys.deepgram;
        if (!access) return null;
        const voiceOf = async ({ language }: Omit<Utterance, "text">) => {
          const model = AURA_VOICES[language.split("-")[0] ?? ""];
          if (!model) throw new Fault("unsupported", `Deepgram Aura speaks no ${language}.`);
          return { id: model, model };
        };
        return remote(createRemoteSpeaking({ service: deepgramAura, access, door, voiceOf }), access);
      }
      case "openai":
      case "google": {
        const provider = name === "openai" ? "OpenAI" : "Google";
        const access = name === "openai" ? models.openai : google;
        const voiceOf = (utterance: Omit<Utterance, "text">) => catalogueVoice(provider, utterance);
        return access ? keeping(createHttpSpeaking({ provider, access, egress, voiceOf }), access) : null;
      }
      default:
        return local.speaking;
    }
  };
  const mouthOf = (name: SpeakingName): Speaking | null => {
    if (!made.has(name)) made.set(name, mouth(name));
    return made.get(name) ?? null;
  };

  return {
    hearings(language) {
      const able = hearings.filter((engine) => engine.hears(language));
      const last = order.hearing.includes("offline") || able.length === 0 ? [local.hearing] : [];
      return [...able, ...last];
    },
    speakings(language, provider) {
      const own = provider === null ? [] : [OF_CATALOGUE[provider as TtsProvider]];
      const able = unique([...own, ...order.speaking])
        .filter((name) => name !== "offline" && speaksIn(name, language))
        .flatMap((name) => mouthOf(name) ?? []);
      const last = order.speaking.includes("offline") || able.length === 0 ? [local.speaking] : [];
      return [...able, ...last];
    },
    close: () => {
      for (const engine of open) engine.close();
    },
  };
}

/** Names an account without telling its key. */
const accountOf = ({ api_key, base_url }: SpeechAccess): string =>
  `${base_url ?? ""} ${createHash("sha256").update(api_key).digest("base64")}`;

const unique = <Name>(names: readonly Name[]): Name[] => [...new Set(names)];

const speaksIn = (name: SpeakingName, language: string): boolean =>
  name === "deepgram"
    ? (language.split("-")[0] ?? "") in AURA_VOICES
    : VOICES.some((voice) => OF_CATALOGUE[voice.provider] === name && speaks(voice, language));

const speaks = (voice: AgentVoice, language: string): boolean =>
  voice.supported_languages.some(({ code }) => code === language);

/** The named voice, or, of a provider that stands in for another, its first of the language. */
function catalogueVoice(provider: TtsProvider, { voice, language }: Omit<Utterance, "text">): AgentVoice {
  const all = VOICES.filter((candidate) => candidate.provider === provider && speaks(candidate, language));
  const found = all.find(({ var_name }) => var_name.split(/[:/]/).at(-1) === voice) ?? all.at(0);
  if (!found) throw new Fault("unsupported", `${provider} has no voice for ${language}.`);
  return found;
}
