import type { KeyQuestion } from "../accounts/ask-about-key.ts";
import type { KeyAccess } from "../accounts/provider-keys.ts";
import { assemblyAi } from "./streaming/hear-assemblyai.ts";
import { deepgramFlux } from "./streaming/hear-deepgram.ts";
import { cartesia } from "./streaming/speak-cartesia.ts";
import { elevenLabs } from "./streaming/speak-elevenlabs.ts";

type Check = { base: string; path: string; headers(key: string): Record<string, string> };

/** A request of each service that is answered 200 to a good key and costs nothing. */
const CHECKS = {
  // https://developers.deepgram.com/reference/manage/projects/list
  deepgram: {
    base: deepgramFlux.base_url,
    path: "/v1/projects",
    headers: (key) => ({ authorization: `Token ${key}` }),
  },
  // https://www.assemblyai.com/docs/api-reference/streaming-api/generate-streaming-token
  assemblyai: {
    base: assemblyAi.base_url,
    path: "/v3/token?expires_in_seconds=1",
    headers: (key) => ({ authorization: key }),
  },
  // https://elevenlabs.io/docs/api-reference/voices/search: what speaking asks for, too.
  elevenlabs: {
    base: elevenLabs.base_url,
    path: "/v2/voices?page_size=1",
    headers: (key) => ({ "xi-api-key": key }),
  },
  // https://docs.cartesia.ai/api-reference/voices/list
  cartesia: {
    base: cartesia.base_url,
    path: "/voices?limit=1",
    headers: (key) => ({ authorization: `Bearer ${key}`, "cartesia-version": "2026-03-01" }),
  },
} as const satisfies Record<string, Check>;

export function speechKeyCheck(service: keyof typeof CHECKS, { api_key, base_url }: KeyAccess): KeyQuestion {
  const { base, path, headers } = CHECKS[service];
  return { url: `${base_url ?? base}${path}`, headers: headers(api_key) };
}
