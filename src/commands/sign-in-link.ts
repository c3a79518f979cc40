import { recoveryCode } from "../accounts/sign-in/sign-in-code.ts";
import { createVault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { presentKey } from "./secret-key.ts";

/** The way back in for whoever can read the installation's secret key. Asks no program and stores nothing. */
export async function signInLink(config: Config, secrets: Secrets): Promise<number> {
  const key = await presentKey(config.data_dir, secrets);
  if (!key)
    throw new Fault(
      "unavailable",
      `There is no Parley in ${config.data_dir}. Set DATA_DIR (or SECRET_KEY) as it was started with.`,
    );
  const code = recoveryCode(createVault(key), new Date());
  process.stdout.write(
    `Signs the first administrator in once, within ten minutes, and sets a password:\n${config.public_url}/sign-in?code=${code}\n`,
  );
  return 0;
}
