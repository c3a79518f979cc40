import { LANGUAGES, type LanguageCode } from "../speech/languages.ts";
import { type AgentVoice, type TtsProvider, VOICES } from "../speech/voices.ts";
import { nameOfElevenLabs } from "./elevenlabs-voices.ts";
import { type FieldPath, quoted, type Report } from "./report.ts";

export type GivenVoice = {
  provider: string | null;
  /** The provider's id, or a name such as `11labs-Adrian`. */
  id: string | null;
  path: FieldPath;
  speed: number | null;
  speed_path: FieldPath;
};
export type GivenLanguage = { code: string; path: FieldPath };

type SpokenLanguage = {
  language_code: LanguageCode;
  voice_provider: TtsProvider;
  voice_display_name: string;
  voice_speed: number | null;
  dtmf_code: number;
};
export type ChosenSpeech = { languages: SpokenLanguage[]; prompt_lines: string[] };

/** Keys of the telephone. */
const MOST_LANGUAGES = 10;
const SPEEDS: Record<TtsProvider, [number, number]> = {
  OpenAI: [0.25, 4],
  Google: [0.25, 4],
  ElevenLabs: [0.7, 1.2],
  Cartesia: [0.6, 1.5],
};

/** What other platforms call hearing several languages at once: no language to speak. */
const SEVERAL = "multi";

/** The languages of the file that Parley speaks, each with the same voice or one like it. */
export function chooseSpeech(
  given: readonly GivenLanguage[],
  voice: GivenVoice | null,
  report: Report,
): ChosenSpeech {
  const codes: LanguageCode[] = [];
  const prompt_lines: string[] = [];
  const named = given.filter(({ code }) => code !== SEVERAL);
  for (const { path } of given.filter(({ code }) => code === SEVERAL))
    report.note(
      path,
      "approximated",
      "A conversation is held in one language at a time: add the others to the agent's languages.",
    );
  for (const [at, { code, path }] of named.entries()) {
    const found = languageOf(code);
    if (found === null) {
      if (at === 0) prompt_lines.push(`Speak the language with the code ${plainCode(code)}.`);
      report.note(
        path,
        at === 0 ? "approximated" : "no equivalent",
        at === 0
          ? `Parley has no voice for ${quoted(code)}; a line of the prompt asks for the language.`
          : `Parley has no voice for ${quoted(code)}.`,
      );
    } else if (codes.includes(found)) {
      report.note(path, "approximated", `Spoken as ${LANGUAGES[found]} (${found}), as another entry is.`);
    } else if (codes.length >= MOST_LANGUAGES) {
      report.note(path, "no equivalent", `An agent speaks ${MOST_LANGUAGES} languages at most.`);
    } else {
      codes.push(found);
      const isSame = found.toLowerCase() === code.toLowerCase() || !code.includes("-");
      report.note(
        path,
        isSame ? "mapped" : "approximated",
        isSame
          ? `A language of the agent, ${found}.`
          : `${quoted(code)} is spoken as ${LANGUAGES[found]} (${found}).`,
      );
    }
  }
  if (voice !== null && named.length === 0) codes.push("en-US");
  const spoken = codes.map((code, index) => ({
    language_code: code,
    ...voiceFor(code, voice),
    dtmf_code: (index + 1) % 10,
  }));
  if (voice !== null) noteVoice(spoken, voice, report);
  return {
    languages: spoken.map(({ same: _, ...language }) => language),
    prompt_lines,
  };
}

function noteVoice(
  spoken: readonly (Omit<SpokenLanguage, "dtmf_code"> & { same: boolean })[],
  { id, path, speed, speed_path }: GivenVoice,
  report: Report,
): void {
  const [first] = spoken;
  if (!first) {
    report.note(path, "no equivalent", "The voice is of a language that Parley does not speak.");
    return;
  }
  const named = `${first.voice_display_name} of ${first.voice_provider}`;
  if (first.same) report.note(path, "mapped", `The voice ${named}.`);
  else
    report.note(
      path,
      "approximated",
      `${id === null ? "The voice" : `The voice ${quoted(id)}`} is not among Parley's; ${named} speaks. Choose another on the page of the languages.`,
    );
  if (speed === null) return;
  report.note(
    speed_path,
    first.voice_speed === speed ? "mapped" : "approximated",
    first.voice_speed === speed
      ? "The voice's speed."
      : `The voice's speed, ${first.voice_speed}, as its provider takes no other.`,
  );
}

function voiceFor(code: LanguageCode, given: GivenVoice | null) {
  const provider = providerOf(given);
  const speaks = VOICES.filter(
    (voice) => !voice.deprecated && voice.supported_languages.some((language) => language.code === code),
  );
  const own = speaks.filter((voice) => voice.provider === provider);
  const same = given?.id == null ? undefined : own.find((voice) => isNamed(voice, given.id as string));
  const chosen = same ?? own[0] ?? speaks[0];
  if (!chosen) throw new Error(`no voice speaks ${code}`);
  const [slowest, fastest] = SPEEDS[chosen.provider];
  const speed = given?.speed ?? null;
  return {
    same: same !== undefined,
    voice_provider: chosen.provider,
    voice_display_name: chosen.display_name,
    voice_speed: speed === null ? null : Math.min(fastest, Math.max(slowest, speed)),
  };
}

function providerOf(voice: GivenVoice | null): TtsProvider {
  const named = `${voice?.provider ?? ""} ${voice?.id ?? ""}`.toLowerCase();
  if (/11labs|eleven/.test(named)) return "ElevenLabs";
  if (/cartesia/.test(named)) return "Cartesia";
  return /google/.test(named) ? "Google" : "OpenAI";
}

/** `11labs-Sarah`, `Sarah`, `sarah` and the provider's own id name the voice Sarah. */
const isNamed = ({ display_name }: AgentVoice, id: string): boolean =>
  nameOfElevenLabs(id) === display_name ||
  id.toLowerCase().replace(/^[a-z0-9]+-/, "") === display_name.toLowerCase().replace(/ \(.*$/, "");

function languageOf(code: string): LanguageCode | null {
  const codes = Object.keys(LANGUAGES) as LanguageCode[];
  const wanted = code.toLowerCase().replaceAll("_", "-");
  const [primary = ""] = wanted.split("-");
  return (
    codes.find((each) => each.toLowerCase() === wanted) ??
    codes.find((each) => each.toLowerCase().split("-")[0] === primary) ??
    null
  );
}

const plainCode = (code: string): string => code.replaceAll(/[^\w-]/g, "").slice(0, 20);
