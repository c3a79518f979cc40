import { type AccessConfig, type AccessSecrets, readAccess, readAccessSecrets } from "./config/access.ts";
import { type LimitConfig, readLimits } from "./config/limits.ts";
import { type LogConfig, type LogSecrets, readLogs } from "./config/logs.ts";
import { type MailConfig, type MailSecrets, readMail, readMailSecrets } from "./config/mail.ts";
import { type ModelConfig, type ModelSecrets, readModelSecrets, readModels } from "./config/models.ts";
import { type NetworkConfig, readNetwork } from "./config/network.ts";
import {
  type OutreachConfig,
  type OutreachSecrets,
  readOutreach,
  readOutreachSecrets,
} from "./config/outreach.ts";
import { type Environment, settingReader } from "./config/setting-reader.ts";
import {
  readStorage,
  readStorageSecrets,
  type StorageConfig,
  type StorageSecrets,
} from "./config/storage.ts";
import { readVoice, readVoiceSecrets, type VoiceConfig, type VoiceSecrets } from "./config/voice.ts";

export type { LlmProvider } from "./config/models.ts";
export { hostInUrl, reachable } from "./config/network.ts";
export type { SpeechName } from "./config/voice.ts";

export type Config = NetworkConfig &
  StorageConfig &
  AccessConfig &
  ModelConfig &
  VoiceConfig &
  OutreachConfig &
  MailConfig &
  LimitConfig &
  LogConfig;

/** Kept apart, so that printing the configuration can't print a secret. */
export type Secrets = StorageSecrets &
  AccessSecrets &
  ModelSecrets &
  VoiceSecrets &
  OutreachSecrets &
  MailSecrets &
  LogSecrets;

/** Every fault of the environment at once, each a sentence that says the fix. */
export class ConfigFaults extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}

/** Reads the environment once and whole; throws `ConfigFaults` with everything that is wrong. */
export function readConfig(env: Environment): { config: Config; secrets: Secrets } {
  const read = settingReader(env);
  const network = readNetwork(read);
  const logs = readLogs(read);
  const config: Config = {
    ...network,
    ...readStorage(read),
    ...readAccess(read),
    ...readModels(read),
    ...readVoice(read),
    ...readOutreach(read),
    ...readMail(read, network.port),
    ...readLimits(read),
    ...logs.config,
  };
  const secrets: Secrets = {
    ...readStorageSecrets(read),
    ...readAccessSecrets(read),
    ...readModelSecrets(read),
    ...readVoiceSecrets(read),
    ...readOutreachSecrets(read),
    ...readMailSecrets(read),
    ...logs.secrets,
  };
  if (read.faults.length > 0) throw new ConfigFaults(read.faults);
  return { config, secrets };
}
