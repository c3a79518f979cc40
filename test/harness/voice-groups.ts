import { expect } from "vitest";
import type { TestApp } from "./app.ts";

export const VOICE_GROUPS = "/api/v1/voice_groups/";

export const english = (more: object = {}) => ({
  language_code: "en-US",
  voice_provider: "ElevenLabs",
  voice_display_name: "Alice",
  dtmf_code: 1,
  ...more,
});

export const spanish = (more: object = {}) => ({
  language_code: "es-US",
  voice_provider: "Google",
  voice_display_name: "Kore (Spanish)",
  dtmf_code: 2,
  ...more,
});

/** A group as the API takes it. */
export const group = (name: string, language_configs: object[] = [english()], more: object = {}) => ({
  name,
  language_configs,
  skip_current_language_in_message: true,
  ...more,
});

export async function createGroup(app: TestApp, ...of: Parameters<typeof group>) {
  const answer = await app.send("POST", VOICE_GROUPS, group(...of));
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
