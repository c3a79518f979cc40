import { z } from "zod";
import { boundedList, integer } from "../api/schema.ts";
import type { Issue } from "../schemas/validation-issue.ts";
import { LANGUAGES, LanguageCode } from "./languages.ts";
import { findVoice, TtsProvider, VOICES } from "./voices.ts";

/** A language and the voice that speaks it. */
export const voiceFields = {
  language_code: LanguageCode,
  voice_provider: TtsProvider,
  voice_display_name: z.string().describe("One of GET /api/v1/agents/voices/available."),
  voice_speed: z
    .number()
    .nullable()
    .default(null)
    .describe(
      "1.0 is the voice's own; 0.25 to 4.0 (OpenAI, Google), 0.7 to 1.2 (ElevenLabs), 0.6 to 1.5 (Cartesia).",
    ),
  voice_pitch: z
    .number()
    .min(-20)
    .max(20)
    .nullable()
    .default(null)
    .describe("Semitones, only for Google's voices; 0 is the voice's own."),
};

/** Of a language group: a language, its voice, and the key that chooses it in the menu. */
export const LanguageConfig = z
  .object({
    ...voiceFields,
    dtmf_code: integer({ min: 0, max: 9 }),
    skip_current_language_in_message: z
      .boolean()
      .nullish()
      .describe("For this language, where it differs from the group's."),
  })
  .superRefine(checkVoice)
  .meta({ id: "LanguageConfig" });
export type LanguageConfig = z.infer<typeof LanguageConfig>;

/** What the providers take. */
const SPEEDS: Record<TtsProvider, [slowest: number, fastest: number]> = {
  OpenAI: [0.25, 4],
  Google: [0.25, 4],
  ElevenLabs: [0.7, 1.2],
  Cartesia: [0.6, 1.5],
};

/** There is such a voice, and it can speak that fast and that high. */
export function checkVoice(config: z.infer<z.ZodObject<typeof voiceFields>>, context: z.RefinementCtx): void {
  const { voice_provider, voice_display_name, voice_speed, voice_pitch } = config;
  if (!findVoice(voice_provider, voice_display_name)) {
    context.addIssue({
      code: "custom",
      path: ["voice_display_name"],
      message: `Input should be a voice of ${voice_provider}, such as '${exampleVoice(config)}'`,
      params: { type: "enum" },
    });
  }
  const [slowest, fastest] = SPEEDS[voice_provider];
  if (voice_speed !== null && voice_speed < slowest) {
    const bound = { minimum: slowest, origin: "number", inclusive: true } as const;
    context.addIssue({ code: "too_small", ...bound, path: ["voice_speed"], input: voice_speed });
  }
  if (voice_speed !== null && voice_speed > fastest) {
    const bound = { maximum: fastest, origin: "number", inclusive: true } as const;
    context.addIssue({ code: "too_big", ...bound, path: ["voice_speed"], input: voice_speed });
  }
  if (voice_pitch && voice_provider !== "Google") {
    const message = `voice_pitch is only for Google's voices; ${voice_provider} can't change it`;
    context.addIssue({ code: "custom", path: ["voice_pitch"], message });
  }
}

type Wanted = { voice_provider: TtsProvider; language_code: LanguageCode };

/** A voice the sender may have meant: of this provider, if possible one that speaks the language. */
function exampleVoice({ voice_provider, language_code }: Wanted): string | undefined {
  const own = VOICES.filter((voice) => voice.provider === voice_provider && !voice.deprecated);
  const speaks = own.find((voice) => voice.supported_languages.some(({ code }) => code === language_code));
  return (speaks ?? own[0])?.display_name;
}

export const LanguageConfigs = boundedList(LanguageConfig).superRefine((configs, context) => {
  const taken = new Map<number, LanguageCode>();
  for (const [index, { dtmf_code, language_code }] of configs.entries()) {
    const holder = taken.get(dtmf_code);
    if (holder === undefined) taken.set(dtmf_code, language_code);
    else {
      context.addIssue({
        code: "custom",
        path: [index, "dtmf_code"],
        message: `dtmf_code ${dtmf_code} is already the key for ${holder}`,
      });
    }
  }
});

/** What is odd about voices that may be saved. */
export function voiceIssues(configs: readonly LanguageConfig[]): Issue[] {
  return configs.flatMap(({ voice_provider, voice_display_name, language_code }, index) => {
    const first = configs.findIndex((config) => config.language_code === language_code);
    const voice = findVoice(voice_provider, voice_display_name);
    const at = { path: ["language_configs", index, "voice_display_name"], value: voice_display_name };
    const issues: Issue[] = [];
    if (voice?.deprecated) {
      issues.push({
        id: "deprecated-voice",
        severity: "warning",
        message: `Voice ${voice_display_name} is of an older generation; choose a Chirp 3 HD voice.`,
        ...at,
      });
    }
    if (voice && !voice.supported_languages.some(({ code }) => code === language_code)) {
      issues.push({
        id: "voice-language-mismatch",
        severity: "warning",
        message: `Voice ${voice_display_name} is not made for ${LANGUAGES[language_code]} (${language_code}).`,
        ...at,
      });
    }
    if (first < index) {
      issues.push({
        id: "duplicate-language",
        severity: "warning",
        message: `${LANGUAGES[language_code]} (${language_code}) is in this group already, and its first voice speaks. Remove one of the two.`,
        path: ["language_configs", index, "language_code"],
        value: language_code,
      });
    }
    return issues;
  });
}

/** The model is offered no language to change to, so whoever asks for another one is refused. */
export function languageChangeIssues(
  { enable_verbal_language_change }: { enable_verbal_language_change: boolean },
  configs: readonly { language_code: string }[] | undefined,
): Issue[] {
  const codes = new Set(configs?.map(({ language_code }) => language_code));
  if (!enable_verbal_language_change || codes.size > 1) return [];
  const lack = configs ? "its language group has only one language" : "it has no language group";
  return [
    {
      id: "language-change-without-languages",
      severity: "warning",
      message: `The agent can't change its language: ${lack}. Choose a language group with two languages or more.`,
      path: ["enable_verbal_language_change"],
    },
  ];
}
