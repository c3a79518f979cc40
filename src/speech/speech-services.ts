import type { SpeechRequest, SpeechService } from "./speech-service.ts";
import type { TtsProvider } from "./voices.ts";

const post = (url: string, headers: Record<string, string>, body: object): SpeechRequest => ({
  url,
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** A text at a place in an answer; null where there is none. */
function textAt(answer: unknown, ...path: string[]): string | null {
  let value = answer;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" && value !== "" ? value : null;
}

const listAt = (answer: unknown, name: string): Record<string, unknown>[] => {
  const list =
    typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : null;
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "object" && entry !== null) : [];
};

/** https://platform.openai.com/docs/api-reference/audio/createSpeech */
const openai: SpeechService = {
  name: "OpenAI",
  base_url: "https://api.openai.com/v1",
  request: ({ text, voice, speed }, { api_key, base_url }) =>
    post(
      `${base_url}/audio/speech`,
      { authorization: `Bearer ${api_key}` },
      {
        model: voice.model,
        voice: voice.display_name.toLowerCase(),
        input: text,
        response_format: "mp3",
        ...(speed !== null && { speed }),
      },
    ),
  soundOf: (body) => body,
  problemIn: (answer) => textAt(answer, "error", "message"),
};

/** https://elevenlabs.io/docs/api-reference/text-to-speech/convert and …/voices/search */
const elevenlabs: SpeechService = {
  name: "ElevenLabs",
  base_url: "https://api.elevenlabs.io",
  lookUp: {
    request: ({ voice }, { api_key, base_url }) => ({
      url: `${base_url}/v2/voices?page_size=100&search=${encodeURIComponent(voice.display_name)}`,
      method: "GET",
      headers: { "xi-api-key": api_key },
    }),
    // "Alice", or "Alice - Clear, Engaging Educator" as their own voices are called by now.
    idIn: (answer, { voice }) =>
      textAt(
        listAt(answer, "voices").find(({ name }) => firstWord(name) === voice.display_name),
        "voice_id",
      ),
  },
  request: ({ text, language, voice, speed }, { api_key, base_url }, voice_id) =>
    post(
      `${base_url}/v1/text-to-speech/${encodeURIComponent(voice_id)}?output_format=mp3_44100_128`,
      { "xi-api-key": api_key },
      {
        text,
        model_id: voice.model,
        language_code: language.split("-")[0],
        ...(speed !== null && { voice_settings: { speed } }),
      },
    ),
  soundOf: (body) => body,
  problemIn: (answer) => textAt(answer, "detail", "message") ?? textAt(answer, "detail"),
};

const firstWord = (name: unknown): string =>
  typeof name === "string" ? (/^[\p{L}']+/u.exec(name)?.[0] ?? "") : "";

/** https://docs.cloud.google.com/text-to-speech/docs/reference/rest/v1/text/synthesize */
const google: SpeechService = {
  name: "Google",
  base_url: "https://texttospeech.googleapis.com",
  request: ({ text, voice, speed, pitch }, { api_key, base_url }) => {
    // wavenet:female/en-US-Chirp3-HD-Aoede
    const name = voice.var_name.split("/")[1] ?? voice.display_name;
    return post(
      `${base_url}/v1/text:synthesize`,
      { "x-goog-api-key": api_key },
      {
        input: { text },
        voice: { languageCode: name.split("-").slice(0, 2).join("-"), name },
        audioConfig: {
          audioEncoding: "MP3",
          ...(speed !== null && { speakingRate: speed }),
          ...(pitch !== null && { pitch }),
        },
      },
    );
  },
  soundOf(body) {
    try {
      const { audioContent } = JSON.parse(body.toString()) as { audioContent?: unknown };
      return typeof audioContent === "string" ? Buffer.from(audioContent, "base64") : null;
    } catch {
      return null;
    }
  },
  problemIn: (answer) => textAt(answer, "error", "message"),
};

/** https://docs.cartesia.ai/api-reference/tts/bytes and …/voices/list */
const CARTESIA_VERSION = "2026-03-01";
const cartesia: SpeechService = {
  name: "Cartesia",
  base_url: "https://api.cartesia.ai",
  lookUp: {
    request: ({ voice }, { api_key, base_url }) => ({
      url: `${base_url}/voices?limit=100&q=${encodeURIComponent(firstWord(voice.display_name))}`,
      method: "GET",
      headers: cartesiaHeaders(api_key),
    }),
    idIn: (answer, { voice }) =>
      textAt(
        listAt(answer, "data").find(({ name }) => firstWord(name) === firstWord(voice.display_name)),
        "id",
      ),
  },
  request: ({ text, language, voice, speed }, { api_key, base_url }, id) =>
    post(`${base_url}/tts/bytes`, cartesiaHeaders(api_key), {
      model_id: voice.model,
      transcript: text,
      voice: { mode: "id", id },
      language: language.split("-")[0],
      output_format: { container: "mp3", sample_rate: 44_100, bit_rate: 128_000 },
      ...(speed !== null && { generation_config: { speed } }),
    }),
  soundOf: (body) => body,
  problemIn: (answer) => textAt(answer, "message") ?? textAt(answer, "error"),
};

const cartesiaHeaders = (api_key: string) => ({
  authorization: `Bearer ${api_key}`,
  "cartesia-version": CARTESIA_VERSION,
});

export const SPEECH_SERVICES: Readonly<Record<TtsProvider, SpeechService>> = {
  OpenAI: openai,
  ElevenLabs: elevenlabs,
  Google: google,
  Cartesia: cartesia,
};
