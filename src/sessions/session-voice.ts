import type { Snapshot } from "../agents/snapshot.ts";
import { findVoice } from "../speech/voices.ts";

/**
 * The voice of a call's language, by its catalogue name (`openai:alloy`). Null on other channels and when the agent's group
 * has no voice for the language; `vars.session.voice` then keeps the value that the agent or a workflow set.
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
