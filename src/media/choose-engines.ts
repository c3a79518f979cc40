import { providerSettings } from "../accounts/llm-provider.ts";
import type { Vault } from "../base/crypto.ts";
import type { EngineOrder, HearingName, OwnSpeechPrices, SpeakingName } from "../base/engine-order.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import type { SocketDoor } from "../egress/socket-door.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import type { Ear, Heard } from "../speech/hearing.ts";
import { type SpeechSettings, speechAccessOf } from "../speech/speech-access.ts";
import { hearingPrice } from "../speech/speech-prices.ts";
import { type CallSpeechSettings, callSpeechKeys } from "../speech/speech-provider.ts";
import { assemblyAi } from "../speech/streaming/hear-assemblyai.ts";
import { deepgramFlux } from "../speech/streaming/hear-deepgram.ts";
import { openaiRealtime } from "../speech/streaming/hear-openai.ts";
import type { HearingService } from "../speech/streaming/hearing-service.ts";
import { createRemoteHearing, type RemoteHearing } from "../speech/streaming/remote-ear.ts";
import type { TtsProvider } from "../speech/voices.ts";
import {
  KeptVoices,
  SERVICE_OF,
  type ServiceName,
  SPEAKING_TITLES,
  SpeakingEngines,
  speaksIn,
} from "./speaking-engines.ts";
import type { ChosenEngines, EngineWish, VoiceEngines } from "./voice-engines.ts";

const HEARING: Record<Exclude<HearingName, "offline">, HearingService> = {
  deepgram: deepgramFlux,
  assemblyai: assemblyAi,
  openai: openaiRealtime,
};

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
  const kept = new KeptVoices();
  const isThere = (name: HearingName) =>
    name === "openai" ? environment.llm.openai : name !== "offline" && environment.speech[name];
  const first = order.hearing.find(isThere);
  const speaks = order.speaking.filter(isService).find((name) => name in environment.speech);
  return {
    // What the page of a call names; a call of an organization with keys of its own may have others.
    hearing: first && first !== "offline" ? { ...local.hearing, name: HEARING[first].name } : local.hearing,
    speaking: speaks ? { ...local.speaking, name: SPEAKING_TITLES[speaks] } : local.speaking,
    detection: local.detection,
    isOffline: first === undefined || first === "offline",
    missing: first ? null : local.missing,
    choose: (wish) => choose(parts, kept, wish),
  };
}

async function choose(
  parts: Parts,
  kept: KeptVoices,
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

  const named: readonly HearingName[] = stt_provider?.startsWith("Deepgram") ? ["deepgram"] : [];
  const ears = unique([...named, ...order.hearing]).flatMap((name): RemoteHearing[] => {
    if (name === "offline") return [];
    const access = name === "openai" ? models.openai : keys[name];
    if (!access) return [];
    const ear = createRemoteHearing({ service: HEARING[name], access, door, detection: local.detect });
    return [{ ...ear, ...hearingPrice(name, prices) }];
  });
  const access = { ...keys, openai: models.openai, google };
  const mouths = new SpeakingEngines({ egress, door, prices, kept, access });

  return {
    hearings(language) {
      const able = ears.filter((engine) => engine.hears(language));
      const last = order.hearing.includes("offline") || able.length === 0 ? [local.hearing] : [];
      return [...able, ...last];
    },
    speakings(language, provider) {
      const own = provider === null ? [] : [SERVICE_OF[provider as TtsProvider]];
      const able = unique([...own, ...order.speaking.filter(isService)])
        .filter((name) => speaksIn(name, language))
        .flatMap((name) => mouths.of(name) ?? []);
      const last = order.speaking.includes("offline") || able.length === 0 ? [local.speaking] : [];
      return [...able, ...last];
    },
    close: () => mouths.close(),
  };
}

const unique = <Name>(names: readonly Name[]): Name[] => [...new Set(names)];

const isService = (name: SpeakingName): name is ServiceName => name !== "offline";
