import type { Vault } from "../base/crypto.ts";
import type { Credentials } from "../channels/credentials/channel-credentials.ts";

/**
 * The simulator stands on the platform's own port, under a prefix of its own. Only a route of the guarded egress leads
 * there by this name, and only the accounts it made up itself can sign in.
 */
export const SIMULATOR_HOST = "carrier.parley.internal";
export const SIMULATOR_PREFIX = "/carrier-simulator/";
export const SIMULATOR_URL = `http://${SIMULATOR_HOST}${SIMULATOR_PREFIX.slice(0, -1)}`;

/** As `calls.carrier` has it. Its people write and read text. */
export const SIMULATOR_NAME = "Carrier simulator";

/**
 * The simulated account of a channel: its sid ends in the channel's number, its token is derived from the installation's
 * key, so that nothing is stored and every process knows it.
 */
const PREFIX = "AC51";
const DIGITS = 30;

export const simulatedAccount = (vault: Vault, channel_id: number): Credentials => {
  const account_sid = `${PREFIX}${channel_id.toString(16).padStart(DIGITS, "0")}`;
  return { account_sid, auth_token: simulatedToken(vault, account_sid) };
};

export const simulatedToken = (vault: Vault, account_sid: string): string =>
  vault.sign("carrier-simulator", account_sid).slice(0, 32);

export function channelOfAccount(account_sid: string): number | null {
  const found = new RegExp(`^${PREFIX}([0-9a-f]{${DIGITS}})$`).exec(account_sid);
  const channel_id = Number.parseInt(found?.[1] ?? "", 16);
  return Number.isSafeInteger(channel_id) ? channel_id : null;
}
