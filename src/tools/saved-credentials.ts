import { invalid } from "../base/errors.ts";
import { readAllowedHosts } from "./allowed-hosts.ts";
import { refuseUnusableAuth, refuseWrongAuthKeys, type ServiceAuthType } from "./auth-values.ts";
import { hostForMcp, readMcpUrl } from "./mcp/mcp-address.ts";

type AuthValues = Record<string, string>;
export type KeptCredentials = {
  auth_type: string | null;
  values: AuthValues;
  hosts: string[] | null;
  mcp_url: string | null;
};
/** As a request has them (`ServiceCreateRequest` says what is kept). */
type GivenCredentials = {
  auth_type?: ServiceAuthType | null | undefined;
  auth_values?: Record<string, string | null> | null | undefined;
  allowed_hosts?: string[] | null | undefined;
  mcp_url?: string | null | undefined;
};

export const NO_CREDENTIALS: KeptCredentials = { auth_type: null, values: {}, hosts: null, mcp_url: null };

/** A service's credentials, and where they may be sent, once a request is saved; throws where a secret would move. Pure. */
export function savedCredentials(
  input: GivenCredentials,
  stored: KeptCredentials,
): { auth: AuthValues; allowed_hosts: string[] | null; mcp_url: string | null } {
  // Another kind of credentials takes nothing over: a header may have the name of what is secret elsewhere.
  const kept = (input.auth_type ?? null) === stored.auth_type ? stored.values : {};
  const auth = mergeAuthValues(input, kept);
  refuseMovedSecret(input, kept, auth);
  refuseWrongAuthKeys(input.auth_type ?? null, auth);
  refuseUnusableAuth(input.auth_type ?? null, input.auth_values ?? {});
  const mcp_url = input.mcp_url === undefined ? stored.mcp_url : readMcpUrl(input.mcp_url);
  const hosts = input.allowed_hosts == null ? stored.hosts : readAllowedHosts(input.allowed_hosts);
  const allowed_hosts = mcp_url !== null && Object.keys(auth).length > 0 ? hostForMcp(mcp_url, hosts) : hosts;
  refuseMovedHosts(input, stored.hosts, allowed_hosts, auth);
  return { auth, allowed_hosts, mcp_url };
}

/**
 * The specification's rule for write-only maps: a null value keeps what is stored, an omitted key removes it, and an
 * omitted map keeps everything (decision: a client that knows nothing of the secrets must not delete them).
 */
function mergeSecrets(
  given: Record<string, string | null> | null | undefined,
  stored: AuthValues,
): AuthValues {
  if (given == null) return stored;
  const merged: AuthValues = {};
  for (const [key, value] of Object.entries(given)) {
    const kept = value ?? stored[key];
    if (kept !== undefined) merged[key] = kept;
  }
  return merged;
}

const mergeAuthValues = (input: GivenCredentials, stored: AuthValues): AuthValues =>
  input.auth_type == null ? {} : mergeSecrets(input.auth_values, stored);

/** A secret goes to the sign-in server it was given for; for another one it is given again. */
function refuseMovedSecret(
  { auth_type, auth_values }: GivenCredentials,
  stored: AuthValues,
  auth: AuthValues,
): void {
  if (auth_type !== "oauth2" || stored.auth_url === undefined || auth.auth_url === stored.auth_url) return;
  if (auth_values?.client_secret) return;
  throw invalid(
    ["body", "auth_values", "client_secret"],
    "auth_url has changed: give the client_secret again",
  );
}

/** Names and addresses: what a secret belongs to. */
const NO_SECRETS = new Set(["username", "client_id", "auth_url"]);

/** A secret goes to the hosts it was given for; for one more it is given again, whoever asks. */
function refuseMovedHosts(
  { auth_type, auth_values }: GivenCredentials,
  stored: string[] | null,
  hosts: string[] | null,
  auth: AuthValues,
): void {
  const added = (hosts ?? []).find((host) => !stored?.includes(host));
  if (added === undefined) return;
  const isSecret = (key: string) => auth_type === "custom_headers" || !NO_SECRETS.has(key);
  const missing = Object.keys(auth).find((key) => isSecret(key) && auth_values?.[key] == null);
  if (missing === undefined) return;
  throw invalid(
    ["body", "auth_values", missing],
    `The credentials may now be sent to ${added} as well: give ${missing} again`,
  );
}
