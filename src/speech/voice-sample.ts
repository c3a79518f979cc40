import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import { Fault, invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { checkVoice, voiceFields } from "./language-config.ts";
import { LANGUAGES, type LanguageCode } from "./languages.ts";
import { findOverrides } from "./pronunciation.ts";
import { type Sound, type Speech, type SpeechAccess, speak } from "./speech-service.ts";
import { SPEECH_SERVICES } from "./speech-services.ts";
import { withPronunciations } from "./speech-text.ts";
import { findVoice, type TtsProvider } from "./voices.ts";

const VoiceSampleCreateRequest = z
  .object({
    ...voiceFields,
    text: z.string().default("").describe("Empty: a sentence of the service's. 1000 characters at most."),
    apply_pronunciation_overrides: z.boolean().default(false),
  })
  .superRefine(checkVoice)
  .meta({ id: "VoiceSampleCreateRequest" });
type VoiceSample = z.infer<typeof VoiceSampleCreateRequest>;

/** Language groups are what voice groups were called. */
const PATHS = [
  { path: "/api/v1/voice_groups/voices/sample", deprecated: false },
  { path: "/api/v1/language_groups/voices/sample", deprecated: true },
];

/** A sample, not a book: services charge by the character. */
const LONGEST_TEXT = 1_000;

const SENTENCES: Partial<Record<LanguageCode, string>> = {
  "en-US": "Hello, this is how I sound. How can I help you today?",
  "es-US": "Hola, así suena mi voz. ¿En qué puedo ayudarle hoy?",
  "fr-FR": "Bonjour, voici ma voix. Comment puis-je vous aider aujourd'hui ?",
  "zh-CN": "您好，这就是我的声音。今天我能帮您什么？",
  "yue-HK": "你好，呢個就係我把聲。今日有咩可以幫到你？",
  "ja-JP": "こんにちは、これが私の声です。本日はどのようなご用件でしょうか。",
  "ko-KR": "안녕하세요, 제 목소리입니다. 무엇을 도와드릴까요?",
  "hi-IN": "नमस्ते, यह मेरी आवाज़ है। आज मैं आपकी क्या मदद कर सकती हूँ?",
  "ru-RU": "Здравствуйте, так звучит мой голос. Чем я могу помочь вам сегодня?",
  "vi-VN": "Xin chào, đây là giọng của tôi. Hôm nay tôi có thể giúp gì cho quý vị?",
  "ar-XA": "مرحبًا، هكذا يبدو صوتي. كيف يمكنني مساعدتك اليوم؟",
};

export type SpeechDeps = {
  db: Db;
  egress: Egress;
  /** The key of a provider that a sub-organization's voices are spoken with; null: there is none. */
  speechAccess(sub_organization_id: number, provider: TtsProvider): Promise<SpeechAccess | null>;
  /** Speaks without a provider; null where this machine can't. */
  speakOffline(speech: Speech): Promise<Sound | null>;
};

export function voiceSampleRoutes(api: Api, deps: SpeechDeps): void {
  for (const { path, deprecated } of PATHS) {
    api.post(
      path,
      {
        summary: "Get a voice sample",
        description:
          "An MP3 by the voice's provider. Where this installation has no key for it, espeak-ng stands in if it is installed (a WAV, and the header `X-Voice-Stand-In` says so); else the answer is 501.",
        tag: "language_groups",
        permission: "language_groups_write",
        body: VoiceSampleCreateRequest,
        response: z.string().meta({ format: "binary" }),
        produces: "application/octet-stream",
        deprecated,
      },
      async ({ caller, body, reply }) => {
        const { sound, stands_in } = await sampleOf(deps, caller, body);
        if (stands_in) reply.header("x-voice-stand-in", "espeak-ng");
        const file = sound.content_type === "audio/wav" ? "sample.wav" : "sample.mp3";
        reply
          .type("application/octet-stream")
          .header("content-disposition", `attachment; filename="${file}"`)
          .header("cache-control", "private, no-store");
        return reply.send(sound.bytes);
      },
    );
  }
}

async function sampleOf(
  deps: SpeechDeps,
  caller: Caller,
  sample: VoiceSample,
): Promise<{ sound: Sound; stands_in: boolean }> {
  const { voice_provider: provider, voice_display_name, voice_speed, voice_pitch, language_code } = sample;
  const voice = findVoice(provider, voice_display_name);
  if (!voice) throw invalid(["body", "voice_display_name"], `Input should be a voice of ${provider}`, "enum");
  if (sample.text.length > LONGEST_TEXT) {
    const message = `String should have at most ${LONGEST_TEXT} characters`;
    throw invalid(["body", "text"], message, "string_too_long");
  }
  const written = sample.text.trim() || SENTENCES[language_code] || `${LANGUAGES[language_code]}.`;
  const speaker = { language: language_code, provider, voice: voice.var_name };
  const text = sample.apply_pronunciation_overrides
    ? withPronunciations(written, await findOverrides(deps.db, caller), speaker)
    : written;
  const speech: Speech = { text, language: language_code, voice, speed: voice_speed, pitch: voice_pitch };

  const access = await deps.speechAccess(caller.sub_organization_id, provider);
  if (access) {
    return { sound: await speak(deps.egress, SPEECH_SERVICES[provider], access, speech), stands_in: false };
  }
  const sound = await deps.speakOffline(speech);
  if (sound) return { sound, stands_in: true };
  throw new Fault(
    "unsupported",
    `${voice_display_name} can't be heard here: this installation has no speech provider for the voices of ${provider}.`,
  );
}
