import { samplesOf } from "../../audio/frames.ts";
import { resample } from "../../audio/resample.ts";
import { readWav } from "../../audio/wav.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Speaking, SpokenAudio, Utterance } from "../speaking.ts";
import { ask, type SpeechAccess, type SpeechRequest } from "../speech-service.ts";
import { SPEECH_SERVICES } from "../speech-services.ts";
import type { AgentVoice } from "../voices.ts";
import { SPEAKING_RATE } from "./speaking-service.ts";

/**
 * Voices of services that are asked for a sentence by HTTP and answer with all of it: OpenAI
 * (https://platform.openai.com/docs/api-reference/audio/createSpeech) and Google
 * (https://docs.cloud.google.com/text-to-speech/docs/reference/rest/v1/text/synthesize). They tell no alignment.
 */

type HttpVoice = {
  body(utterance: Utterance, voice: AgentVoice): { path: string; body: object };
  key(api_key: string): Record<string, string>;
  samples(answer: Buffer): Int16Array;
};

/** OpenAI's PCM. */
const OPENAI_RATE = 24_000;

const HTTP_VOICES: Record<"OpenAI" | "Google", HttpVoice> = {
  OpenAI: {
    body: ({ text, speed }, voice) => ({
      path: "/audio/speech",
      body: {
        model: voice.model,
        voice: voice.display_name.toLowerCase(),
        input: text,
        response_format: "pcm",
        ...(speed !== null && { speed }),
      },
    }),
    key: (api_key) => ({ authorization: `Bearer ${api_key}` }),
    samples: (answer) => resample(samplesOf(answer), OPENAI_RATE, SPEAKING_RATE),
  },
  Google: {
    body: ({ text, speed }, voice) => {
      const name = voice.var_name.split("/")[1] ?? voice.display_name;
      return {
        path: "/v1/text:synthesize",
        body: {
          input: { text },
          voice: { languageCode: name.split("-").slice(0, 2).join("-"), name },
          audioConfig: {
            audioEncoding: "LINEAR16",
            sampleRateHertz: SPEAKING_RATE,
            ...(speed !== null && { speakingRate: speed }),
          },
        },
      };
    },
    key: (api_key) => ({ "x-goog-api-key": api_key }),
    samples(answer) {
      const { audioContent } = JSON.parse(answer.toString()) as { audioContent?: unknown };
      const wav = Buffer.from(typeof audioContent === "string" ? audioContent : "", "base64");
      return readWav(wav).channels[0] ?? new Int16Array(0);
    },
  },
};

export function createHttpSpeaking({
  provider,
  access,
  egress,
  voiceOf,
}: {
  provider: keyof typeof HTTP_VOICES;
  access: SpeechAccess;
  egress: Egress;
  voiceOf(utterance: Omit<Utterance, "text">): AgentVoice;
}): Speaking {
  const service = SPEECH_SERVICES[provider];
  const { body, key, samples } = HTTP_VOICES[provider];
  const { api_key, base_url = service.base_url } = access;
  return {
    name: service.name,
    rate: SPEAKING_RATE,
    async *speak(utterance, signal): AsyncGenerator<SpokenAudio> {
      const asked = body(utterance, voiceOf(utterance));
      const request: SpeechRequest = {
        url: `${base_url}${asked.path}`,
        method: "POST",
        headers: { "content-type": "application/json", ...key(api_key) },
        body: JSON.stringify(asked.body),
      };
      const answer = await ask(egress, service, request, signal);
      if (!signal.aborted) yield { samples: samples(answer), aligned: [] };
    },
  };
}
