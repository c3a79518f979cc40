import { existsSync } from "node:fs";
import { errorText } from "../../base/errors.ts";
import { type Config, ConfigFaults, readConfig, type Secrets } from "../../config.ts";

export type ProgramSettings = { config: Config; secrets: Secrets };

/** What the environment and the file .env of this folder say. */
export function settingsOrFaults(): ProgramSettings | ConfigFaults {
  try {
    if (existsSync(".env")) process.loadEnvFile(".env");
  } catch (error) {
    return new ConfigFaults([`The file .env can't be read (${errorText(error)}). Mend or remove it.`]);
  }
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigFaults) return error;
    throw error;
  }
}

export function settings(): ProgramSettings {
  const found = settingsOrFaults();
  if (found instanceof ConfigFaults) throw found;
  return found;
}
