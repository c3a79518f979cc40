import { createSocketDoor, type SocketDoor } from "../egress/socket-door.ts";
import { withServices } from "../media/choose-engines.ts";
import type { AppParts } from "./parts.ts";

/** Calls are heard and spoken by services where there are keys for them, else by the engines of this machine. */
export function voiceParts(given: AppParts): { parts: AppParts; door: SocketDoor | null } {
  const { voiceEngines: local, voiceDetection: detect, db, vault, egress, config } = given;
  if (!local || !detect) return { parts: given, door: null };
  const door = createSocketDoor({ allow: config.egress_allow });
  const voiceEngines = withServices({
    db,
    vault,
    egress,
    door,
    environment: {
      speech: given.callSpeech ?? {},
      llm: given.llmProviders,
      google: given.speechProviders ?? {},
    },
    order: config.voice_order,
    prices: config.speech_prices,
    local: { ...local, detect },
  });
  return { parts: { ...given, voiceEngines }, door };
}
