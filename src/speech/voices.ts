import { z } from "zod";
import type { Api } from "../api/server.ts";
import { LANGUAGES, LanguageCode } from "./languages.ts";

const TTS_PROVIDERS = ["OpenAI", "ElevenLabs", "Google", "Cartesia"] as const;
export const TtsProvider = z.enum(TTS_PROVIDERS).meta({ id: "TtsProvider" });
export type TtsProvider = z.infer<typeof TtsProvider>;

const AgentVoiceGender = z.enum(["female", "male"]).meta({ id: "AgentVoiceGender" });
const AgentVoiceModel = z
  .enum([
    "Chirp 3 HD",
    "eleven_flash_v2_5",
    "Neural2",
    "Standard",
    "Studio",
    "WaveNet",
    "tts-1",
    "gpt-4o-mini-tts",
    "sonic-3.5",
  ])
  .meta({ id: "AgentVoiceModel" });

export const AgentVoice = z
  .object({
    provider: TtsProvider,
    display_name: z.string(),
    var_name: z.string().meta({ deprecated: true }),
    gender: AgentVoiceGender,
    model: AgentVoiceModel,
    supported_languages: z.array(
      z.object({ name: z.string(), code: LanguageCode }).meta({ id: "AgentLanguage" }),
    ),
    deprecated: z.boolean(),
  })
  .meta({ id: "AgentVoice" });
export type AgentVoice = z.infer<typeof AgentVoice>;

/*
 * The 196 voices of the public API, generated from the few facts that tell them apart. Names and genders are those of
 * the providers' voice lists (Alloy, Fable and River are offered as neutral; they are filed under the gender most people
 * hear). Languages, of the seventeen above, are what the providers document for the model: ElevenLabs
 * elevenlabs.io/docs/models, OpenAI platform.openai.com/docs/guides/text-to-speech, Google
 * docs.cloud.google.com/text-to-speech/docs/chirp3-hd; of Cartesia the voice's home language. Read in November 2026.
 *
 * Deprecated is our own word, no provider's: Google voices of an older generation whose language has Chirp 3 HD voices.
 */
type Gender = AgentVoice["gender"];

const voice = (
  provider: TtsProvider,
  display_name: string,
  var_name: string,
  gender: Gender,
  model: AgentVoice["model"],
  codes: readonly LanguageCode[],
  deprecated = false,
): AgentVoice => ({
  provider,
  display_name,
  var_name,
  gender,
  model,
  supported_languages: codes.map((code) => ({ name: LANGUAGES[code], code })),
  deprecated,
});

const both = (female: string, male: string): [name: string, gender: Gender][] => [
  ...female.split(" ").map((name): [string, Gender] => [name, "female"]),
  ...male.split(" ").map((name): [string, Gender] => [name, "male"]),
];

const ALL_CODES = Object.keys(LANGUAGES) as LanguageCode[];
const OPENAI_LANGUAGES = ALL_CODES.filter((code) => code !== "yue-HK" && code !== "gu-IN");
const ELEVENLABS_LANGUAGES = ALL_CODES.filter(
  (code) => !["yue-HK", "fa-IR", "th-TH", "bs-BA", "sw-KE", "gu-IN", "ne-NP"].includes(code),
);

const openai = both("Alloy Coral Nova Sage Shimmer", "Ash Echo Fable Onyx").map(([name, gender]) =>
  voice("OpenAI", name, `openai:${name.toLowerCase()}`, gender, "gpt-4o-mini-tts", OPENAI_LANGUAGES),
);

const elevenlabs = both(
  "Alice Charlotte Jessica Laura Lily Matilda River Sarah",
  "Bill Brian Callum Charlie Chris Daniel Eric George Liam Roger Will",
).map(([name, gender]) =>
  voice("ElevenLabs", name, `elevenlabs:${name}`, gender, "eleven_flash_v2_5", ELEVENLABS_LANGUAGES),
);

/** A star speaks each of these as a voice of its own. */
const CHIRP_LANGUAGES: LanguageCode[] = [
  "en-US",
  "gu-IN",
  "ar-XA",
  "fr-FR",
  "ja-JP",
  "hi-IN",
  "ko-KR",
  "zh-CN",
  "ru-RU",
  "es-US",
  "th-TH",
  "vi-VN",
];
const CHIRP_WITHOUT_RUSSIAN = ["Achernar", "Callirrhoe", "Umbriel", "Vindemiatrix"];
/** Google's own code, where it is not ours. */
const googleCode = (code: LanguageCode): string => (code === "zh-CN" ? "cmn-CN" : code);

const chirp = both(
  "Achernar Aoede Callirrhoe Kore Leda Vindemiatrix Zephyr",
  "Charon Fenrir Orus Puck Umbriel",
).flatMap(([star, gender]) =>
  CHIRP_LANGUAGES.filter((code) => code !== "ru-RU" || !CHIRP_WITHOUT_RUSSIAN.includes(star)).map((code) =>
    voice(
      "Google",
      `${star} (${LANGUAGES[code]})`,
      `wavenet:${gender}/${googleCode(code)}-Chirp3-HD-${star}`,
      gender,
      "Chirp 3 HD",
      [code],
    ),
  ),
);

const OLDER_GOOGLE: [id: string, Gender, AgentVoice["model"], LanguageCode][] = [
  ["en-US-Neural2-D", "male", "Neural2", "en-US"],
  ["en-US-Neural2-F", "female", "Neural2", "en-US"],
  ["en-US-Neural2-J", "male", "Neural2", "en-US"],
  ["en-US-Studio-O", "female", "Studio", "en-US"],
  ["es-US-Neural2-A", "female", "Neural2", "es-US"],
  ["es-US-Neural2-B", "male", "Neural2", "es-US"],
  ["cmn-TW-Wavenet-A", "female", "WaveNet", "zh-CN"],
  ["ko-KR-Neural2-A", "female", "Neural2", "ko-KR"],
  ["vi-VN-Neural2-A", "female", "Neural2", "vi-VN"],
  ["yue-HK-Standard-C", "female", "Standard", "yue-HK"],
];
const olderGoogle = OLDER_GOOGLE.map(([id, gender, model, code]) =>
  voice("Google", id, `wavenet:${gender}/${id}`, gender, model, [code], CHIRP_LANGUAGES.includes(code)),
);

const CARTESIA: [locale: string, LanguageCode, female: string, male: string][] = [
  ["US", "en-US", "Skylar Linda Emma", "Daniel Corey"],
  ["MX", "es-US", "Ximena Fernanda", "Emilio Mateo"],
  ["KR", "ko-KR", "Minji Haeun", "Taehyun Jaewon"],
];
const cartesia = [
  ...CARTESIA.flatMap(([locale, code, female, male]) =>
    both(female, male).map(([name, gender]) => ({ name, gender, locale, code })),
  ),
  { name: "Marta", gender: "female", locale: "ES", code: "es-US" } as const,
  { name: "Hua", gender: "female", locale: "CN", code: "zh-CN" } as const,
  { name: "Liu", gender: "male", locale: "CN", code: "zh-CN" } as const,
  { name: "Xia", gender: "female", locale: "VN", code: "vi-VN" } as const,
  { name: "Suda", gender: "female", locale: "TH", code: "th-TH" } as const,
].map(({ name, gender, locale, code }) =>
  voice("Cartesia", `${name} (${locale})`, `cartesia:${name}`, gender, "sonic-3.5", [code]),
);

export const VOICES: readonly AgentVoice[] = [
  ...openai,
  ...elevenlabs,
  ...chirp,
  ...olderGoogle,
  ...cartesia,
];

const byName = new Map(VOICES.map((entry) => [`${entry.provider}/${entry.display_name}`, entry]));

export const findVoice = (provider: string, display_name: string): AgentVoice | undefined =>
  byName.get(`${provider}/${display_name}`);

export function voiceRoutes(api: Api): void {
  api.get(
    "/api/v1/agents/voices/available",
    {
      summary: "List the voices an agent can speak with",
      tag: "agents",
      permission: "agents_read",
      response: z.array(AgentVoice),
    },
    () => VOICES,
  );
}
