import { localToken } from "../accounts/local-token.ts";
import { recoveryCode } from "../accounts/sign-in/sign-in-code.ts";
import { createVault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { fetchFailureWords } from "../egress/egress-failure.ts";
import { keyPlace, presentKey } from "./secret-key.ts";

/**
 * A way back in for anyone who can read the installation's secret key. It stores nothing, and asks the running program whether
 * the key is its own. If that program can't be reached, it prints the link anyway.
 */
export async function signInLink(config: Config, secrets: Secrets): Promise<number> {
  const { data_dir, public_url } = config;
  const key = await presentKey(data_dir, secrets);
  if (!key)
    throw new Fault(
      "unavailable",
      `There is no Parley in ${data_dir}. Set DATA_DIR (or SECRET_KEY) as it was started with.`,
    );
  const vault = createVault(key);
  const now = new Date();
  const asked = await isKeyOf(public_url, localToken(vault, now));
  if (asked === false)
    throw new Fault(
      "refused",
      `${keyPlace(data_dir, secrets)} is not the secret key of the Parley at ${public_url}, so a link made with it would not work. Set DATA_DIR (or SECRET_KEY), and PORT or PUBLIC_URL, as it was started with.`,
    );
  if (asked !== true)
    process.stderr.write(
      `parley: Parley does not answer at ${public_url} from here: ${asked.problem}. The link works while it runs.\n`,
    );
  process.stdout.write(
    `Signs the first administrator in once, within ten minutes, and sets a password:\n${public_url}/sign-in?code=${recoveryCode(vault, now)}\n`,
  );
  return 0;
}

/** Someone who is locked out should not have to wait long for an address that can't be reached from here. */
const ASK_MS = 5_000;

/** Whether a token that this key signed is taken; a proxy that asks for a password itself says nothing of that. */
async function isKeyOf(public_url: string, token: string): Promise<boolean | { problem: string }> {
  try {
    const { status, headers } = await fetch(`${public_url}/api/v1/permissions/`, {
      headers: { "service-api-key": token },
      signal: AbortSignal.timeout(ASK_MS),
    });
    if (status === 200) return true;
    const isOurs = headers.get("content-type")?.includes("json");
    return isOurs && status === 401 ? false : { problem: `what answers there said ${status}` };
  } catch (error) {
    return { problem: fetchFailureWords(error, public_url) };
  }
}
