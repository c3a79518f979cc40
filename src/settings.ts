import { ACCESS_SETTINGS } from "./config/access.ts";
import { LIMIT_SETTINGS } from "./config/limits.ts";
import { LOG_SETTINGS } from "./config/logs.ts";
import { MAIL_SETTINGS } from "./config/mail.ts";
import { MODEL_SETTINGS } from "./config/models.ts";
import { NETWORK_SETTINGS } from "./config/network.ts";
import { OUTREACH_SETTINGS } from "./config/outreach.ts";
import type { Setting } from "./config/setting-reader.ts";
import { STORAGE_SETTINGS } from "./config/storage.ts";
import { VOICE_SETTINGS } from "./config/voice.ts";

/** Everything that can be set, in the order a person would read it. */
export const SETTINGS: Setting[] = [
  ...NETWORK_SETTINGS,
  ...STORAGE_SETTINGS,
  ...ACCESS_SETTINGS,
  ...MODEL_SETTINGS,
  ...VOICE_SETTINGS,
  ...OUTREACH_SETTINGS,
  ...MAIL_SETTINGS,
  ...LIMIT_SETTINGS,
  ...LOG_SETTINGS,
];

/** The text of `.env.example`; a test keeps the committed file equal to it. */
export function envExample(): string {
  const lines = SETTINGS.map(({ name, example, about }) => `# ${about}\n#${name}=${example}\n`);
  return `# Everything here is optional: with an empty environment Parley starts and works offline.\n\n${lines.join("\n")}`;
}
