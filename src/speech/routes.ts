import type { Api } from "../api/server.ts";
import { pronunciationRoutes } from "./pronunciation.ts";
import { voiceSampleRoutes } from "./voice-sample.ts";
import { voiceRoutes } from "./voices.ts";
import { waitSoundRoutes } from "./wait-sound.ts";

type Deps = Parameters<typeof voiceSampleRoutes>[1] & Parameters<typeof pronunciationRoutes>[1];

/** Voices, how they sound, and how words are said. */
export function addSpeech(api: Api, deps: Deps): void {
  voiceRoutes(api);
  voiceSampleRoutes(api, deps);
  pronunciationRoutes(api, deps);
  waitSoundRoutes(api);
}
