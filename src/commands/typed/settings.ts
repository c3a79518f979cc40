import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { errorText } from "../../base/errors.ts";
import { type Config, ConfigFaults, readConfig, type Secrets } from "../../config.ts";
import { nearest } from "../../schemas/nearest.ts";
import { SETTINGS } from "../../settings.ts";

export type ProgramSettings = { config: Config; secrets: Secrets };

/** What the environment and the file .env of this folder say. */
export function settingsOrFaults(): ProgramSettings | ConfigFaults {
  try {
    readEnvFile();
  } catch (error) {
    const mend = (error as NodeJS.ErrnoException).code === "EACCES" ? "Let this user read it," : "Mend";
    return new ConfigFaults([`The file .env can't be read (${errorText(error)}). ${mend} or remove it.`]);
  }
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigFaults) return error;
    throw error;
  }
}

/** What the environment has stays. Node.js's own loadEnvFile says of a file that it may not read that it isn't there. */
function readEnvFile(): void {
  for (const [name, value] of Object.entries(parseEnv(envText()))) process.env[name] ??= value;
}

/** Without the byte order mark that editors on Windows write first, which would be part of the first setting's name. */
const envText = (): string => (existsSync(".env") ? new TextDecoder().decode(readFileSync(".env")) : "");

export function settings(): ProgramSettings {
  const found = settingsOrFaults();
  if (found instanceof ConfigFaults) throw found;
  return found;
}

/**
 * Lines of the file .env that set nothing though they look as if they did. Names that are no setting's and not nearly one
 * may be what a configuration's files refer to.
 */
export function misspeltSettings(): string[] {
  const text = envText();
  const known = SETTINGS.map(({ name }) => name);
  const misspelt = Object.keys(parseEnv(text)).flatMap((name) => {
    const meant = known.includes(name) ? "" : nearest(name, known);
    return meant ? [`The file .env sets ${name}, which is no setting${meant}.`] : [];
  });
  const unset = [...text.matchAll(/^[ \t]*([A-Z][A-Z0-9_]*)(.*)$/gm)]
    .filter(([, name = "", rest = ""]) => known.includes(name) && !rest.trimStart().startsWith("="))
    .map(([, name]) => `The file .env names ${name} without "="; write ${name}=… instead.`);
  return [...misspelt, ...unset];
}
