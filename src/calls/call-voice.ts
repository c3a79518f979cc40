import type { Snapshot } from "../agents/snapshot.ts";
import type { CallVoice } from "../channels/call-socket.ts";
import type { EngineWish } from "../media/voice-engines.ts";
import type { PronunciationOverride } from "../speech/pronunciation-file.ts";
import type { Speaker } from "../speech/speech-text.ts";
import { findVoice, VOICES } from "../speech/voices.ts";
import { waitSoundUrl } from "../speech/wait-sound.ts";
import type { PhraseSources } from "../turns/choose-phrases.ts";
import { type CallSettings, type CallTiming, callTiming, type Dial, screeningOf } from "./call-settings.ts";
import type { CallRow, CallSession } from "./call-store.ts";
import { BROWSER } from "./call-store.ts";

/** The longest duration of a call: an hour. */
const LONGEST_CALL_S = 3600;

/**
 * The languages and voices for the carrier, the session's language first. A language without a voice in the group gets the
 * voice of `vars.session.voice`.
 */
export function callVoice({ snapshot, state, telephony }: CallSession): CallVoice {
  const configs = snapshot.language_group?.language_configs ?? [];
  const spoken = configs.map((config) => ({
    code: config.language_code,
    provider: config.voice_provider,
    voice: providersName(config.voice_provider, config.voice_display_name),
    speed: config.voice_speed ?? null,
    pitch: config.voice_pitch ?? null,
  }));
  const first = spoken.find(({ code }) => code === state.language) ?? {
    code: state.language,
    ...namedVoice(state.variables["vars.session.voice"], state.language),
    speed: null,
    pitch: null,
  };
  return {
    languages: [first, ...spoken.filter((language) => language !== first)],
    interruptible_by: telephony?.interruptibility ?? "all",
    hints: [],
  };
}

/** Who speaks in each language, as a dictionary of pronunciations names them. */
export function speakersOf({ snapshot, state }: Pick<CallSession, "snapshot" | "state">): Speaker[] {
  const { language } = state;
  const configs = snapshot.language_group?.language_configs ?? [];
  const named = voiceNamed(state.variables["vars.session.voice"], language);
  return [
    ...configs.map(({ language_code, voice_provider, voice_display_name }) => ({
      language: language_code,
      provider: voice_provider,
      voice: findVoice(voice_provider, voice_display_name)?.var_name ?? "",
    })),
    ...(named ? [{ language, provider: named.provider, voice: named.var_name }] : []),
  ];
}

/** What decides which engines hear and speak on the call. */
export const engineWish = (call: CallRow, { snapshot }: CallSession): EngineWish => ({
  sub_organization_id: call.sub_organization_id,
  stt_provider: snapshot.agent.stt_provider ?? null,
});

/** A voice by its catalogue name. The carrier chooses when it is missing or of another language, which would fail the call. */
function namedVoice(name: unknown, language: string): { provider: string | null; voice: string | null } {
  const named = voiceNamed(name, language);
  return named
    ? { provider: named.provider, voice: providersName(named.provider, named.display_name) }
    : { provider: null, voice: null };
}

const voiceNamed = (name: unknown, language: string) =>
  VOICES.find(
    (voice) => voice.var_name === name && voice.supported_languages.some(({ code }) => code === language),
  );

/** The provider's name of a voice: the last part of `openai:alloy` or `wavenet:female/en-US-Chirp3-HD-Kore`. */
const providersName = (provider: string, display_name: string): string =>
  findVoice(provider, display_name)?.var_name.split(/[:/]/).at(-1) ?? display_name;

/** Likely vocabulary for our own speech recognition: the agent's instructions, greeting and tool descriptions. */
export function expectedTexts({ agent, prompt, message, tools }: Snapshot): string[] {
  const greeting = message ? [message.text, ...message.rules.map(({ text }) => text)] : [];
  return [
    agent.name,
    prompt.context ?? "",
    ...greeting,
    ...tools.flatMap(({ definition }) => textsIn(definition)),
  ];
}

const WORDED: ReadonlySet<string> = new Set(["description", "text", "goal", "instructions", "say", "enum"]);

/** The descriptions, instructions and enum values of a tool's definition, at any depth. */
function textsIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return WORDED.has(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((entry) => textsIn(entry, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, key));
}

/** On a line of our own, of a call that we made and whose line was not opened before. */
export const hearsAnswerer = ({ is_outbound, is_streamed, leg }: CallRow): boolean =>
  is_outbound && is_streamed && leg === 1;

/** Our own audio line detects the end of an input itself, and may wait longer than a carrier does. */
const LINE_DECIDES_MS = 20_000;
const decidedByLine = (timing: CallTiming): CallTiming => ({
  ...timing,
  post_speech_ms: LINE_DECIDES_MS,
  post_final_ms: 0,
});

/** Dial settings of a transfer. */
export const transferDial = (call: CallRow, telephony: CallSession["telephony"]): Omit<Dial, "number"> => ({
  caller_id: call.caller_id ?? call.number,
  detect_answerer: telephony?.transfer_leg_voicemail_detection_enabled ?? false,
});

export function callSettings(
  call: CallRow,
  session: CallSession,
  phrases: PhraseSources,
  publicUrl: string,
  pronunciations: readonly PronunciationOverride[],
  goes_on_with: string | null,
): CallSettings {
  const { snapshot, telephony } = session;
  const offers = (name: string) => snapshot.tools.some((tool) => tool.is_system && tool.name === name);
  return {
    telephony:
      call.carrier === BROWSER || call.is_streamed
        ? decidedByLine(callTiming(telephony))
        : callTiming(telephony),
    interruptibility: telephony?.interruptibility ?? "all",
    screening: call.is_outbound ? screeningOf(call.voicemail_detection) : null,
    can_leave_voicemail: offers("leave_voicemail"),
    hears_answerer: hearsAnswerer(call),
    longest_at: new Date(call.answered_at).getTime() + LONGEST_CALL_S * 1000,
    menu_keys: (snapshot.language_group?.language_configs ?? []).map((config) => String(config.dtmf_code)),
    repeats_greeting: snapshot.message?.repeat_after_language_change ?? false,
    wait_sound_url: waitSoundUrl(publicUrl, snapshot.agent.wait_sound),
    phrases,
    pronunciations,
    speakers: speakersOf(session),
    fallback: call.fallback_target,
    transfer: transferDial(call, telephony),
    seed: call.id,
    resumes: call.leg > 1,
    goes_on_with,
  };
}
