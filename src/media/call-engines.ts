import type { CallVoice } from "../channels/call-socket.ts";
import type { Hearing } from "../speech/hearing.ts";
import type { Speaking } from "../speech/speaking.ts";
import { hearingChain } from "../speech/streaming/hearing-chain.ts";
import { speakingChain } from "../speech/streaming/speaking-chain.ts";
import type { EngineWish, VoiceEngines } from "./voice-engines.ts";
import { VoiceMeter, type VoiceUse } from "./voice-use.ts";

export type CallEngines = Pick<VoiceEngines, "hearing" | "speaking" | "detection"> & {
  use(): VoiceUse;
  close(): void;
};

/**
 * The engines of one line, whose use is counted. Where they are chosen for the call, each failure is answered by the next,
 * and `note` is told. Connections for the first words are made at once.
 */
export async function enginesOfCall(
  engines: VoiceEngines,
  voice: CallVoice & { wish: EngineWish },
  note: (message: string) => void,
): Promise<CallEngines> {
  const meter = new VoiceMeter();
  const use = () => meter.use();
  if (!engines.choose) {
    const hearing = hearingChain([meter.hearing(engines.hearing)], note);
    const speaking = meter.speaking(engines.speaking);
    return { hearing, speaking, detection: engines.detection, use, close() {} };
  }
  const chosen = await engines.choose(voice.wish);
  const ears = new Map<Hearing, Hearing>();
  const mouths = new Map<Speaking, Speaking>();
  const chains = new Map<string, Speaking>();

  const hearing: Hearing = {
    name: engines.hearing.name,
    open(listening, tell) {
      const counted = chosen
        .hearings(listening.language)
        .map((engine) => known(ears, engine, () => meter.hearing(engine)));
      return hearingChain(counted, note).open(listening, tell);
    },
  };
  const chainOf = (language: string): Speaking =>
    known(chains, language, () => {
      const provider = voice.languages.find(({ code }) => code === language)?.provider ?? null;
      const counted = chosen
        .speakings(language, provider)
        .map((engine) => known(mouths, engine, () => meter.speaking(engine)));
      return speakingChain(counted, note);
    });
  const speaking: Speaking = {
    name: engines.speaking.name,
    rate: engines.speaking.rate,
    speak: (utterance, signal) => chainOf(utterance.language).speak(utterance, signal),
  };
  const [first] = voice.languages;
  if (first) chainOf(first.code).prepare?.({ language: first.code, voice: first.voice, speed: first.speed });
  return { hearing, speaking, detection: null, use, close: () => chosen.close() };
}

function known<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * Makes what the agent of a call will say first, before the line opens. Calls after it find the audio made, too. Where it
 * fails, it fails again when it is said, and is told then.
 */
export async function makeBeforehand(
  engines: VoiceEngines,
  voice: CallVoice & { wish: EngineWish },
  parts: readonly { text: string; language: string }[],
): Promise<void> {
  const chosen = (await engines.choose?.(voice.wish)) ?? null;
  try {
    for (const { text, language } of parts) {
      const spoken = voice.languages.find(({ code }) => code === language);
      const [first = engines.speaking] = chosen?.speakings(language, spoken?.provider ?? null) ?? [];
      const utterance = { text, language, voice: spoken?.voice ?? null, speed: spoken?.speed ?? null };
      await first.beforehand?.make(utterance);
    }
  } catch {
  } finally {
    chosen?.close();
  }
}
