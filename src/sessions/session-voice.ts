import type { Snapshot } from "../agents/snapshot.ts";
import { findVoice } from "../speech/voices.ts";

/**
 * The voice that a call's language is spoken with, by its name in the catalogue (`openai:alloy`). Null on other channels and
 * where the agent's group has none for the language: `vars.session.voice` is then what agent or workflow made it.
 */
export function voiceInForce(
  channel: string,
  { language_group }: Pick<Snapshot, "language_group">,
  language: string,
): string | null {
  if (channel !== "voice") return null;
  const spoken = language_group?.language_configs.find((config) => config.language_code === language);
  if (!spoken) return null;
  const { voice_provider, voice_display_name } = spoken;
  return findVoice(voice_provider, voice_display_name)?.var_name ?? voice_display_name;
}
