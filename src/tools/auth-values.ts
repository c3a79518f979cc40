import { invalid } from "../base/errors.ts";
import { headerProblem, NOT_CARRIED, SET_BY_CONNECTION } from "../egress/outgoing-headers.ts";
import { isFixedAddress } from "./allowed-hosts.ts";

/** How a tool's calls authenticate; the keys each way needs. */
const AUTH_KEYS = {
  basic: ["username", "password"],
  bearer: ["token"],
  oauth2: ["client_id", "client_secret", "auth_url"],
  /** Any header names. */
  custom_headers: null,
} as const;
export type ServiceAuthType = keyof typeof AUTH_KEYS;

export function refuseWrongAuthKeys(auth_type: ServiceAuthType | null, values: Record<string, string>): void {
  if (auth_type === null) return;
  const needed: readonly string[] | null = AUTH_KEYS[auth_type];
  if (needed === null) {
    const bad = Object.keys(values).find((key) => headerProblem(key, "") === "name");
    if (bad !== undefined) throw invalid(["body", "auth_values", bad], "Input should be a valid header name");
    return;
  }
  const missing = needed.find((key) => !(key in values));
  if (missing) throw invalid(["body", "auth_values", missing], "Field required", "missing");
  const extra = Object.keys(values).find((key) => !needed.includes(key));
  if (extra)
    throw invalid(["body", "auth_values", extra], "Extra inputs are not permitted", "extra_forbidden");
}

/** Refuses what no request could be sent with. Only what is given: what is kept was saved before. */
export function refuseUnusableAuth(
  auth_type: ServiceAuthType | null,
  given: Record<string, string | null>,
): void {
  if (auth_type === null) {
    refuseWithoutType(given);
    return;
  }
  for (const [key, value] of Object.entries(given)) {
    const problem = value === null ? null : problemOf(auth_type, key, value);
    if (problem !== null) throw invalid(["body", "auth_values", key], problem);
  }
}

/** They would be dropped, and the calls go out without any. */
function refuseWithoutType(given: Record<string, string | null>): void {
  if (Object.values(given).every((value) => value === null)) return;
  const message = "Say how the credentials are sent: basic, bearer, custom_headers or oauth2";
  throw invalid(["body", "auth_type"], message);
}

function problemOf(auth_type: ServiceAuthType, key: string, value: string): string | null {
  switch (auth_type) {
    case "custom_headers":
      return headerProblem(key, value) === "set by the connection"
        ? SET_BY_CONNECTION
        : uncarried(key, value);
    case "bearer":
      return tokenProblem(value);
    case "basic":
      // Where the user name ends and the password begins.
      return key === "username" && value.includes(":") ? "A user name has no colon in it." : null;
    case "oauth2":
      return key !== "auth_url" || isFixedAddress(value)
        ? null
        : "Give the address of the sign-in server, without a user or variables: https://auth.example.com/token";
  }
}

/** Nobody sees a saved token again: `Bearer abc` would be sent as "Bearer Bearer abc" and refused with every call. */
function tokenProblem(token: string): string | null {
  if (token.trim() === "") return "Enter the token.";
  if (/^\s*bearer\s/i.test(token)) return 'Enter the token alone: "Bearer" is put before it.';
  if (token !== token.trim()) return "Blanks stand before or behind the token. Paste it again without them.";
  return uncarried("authorization", token);
}

const uncarried = (name: string, value: string): string | null =>
  headerProblem(name, value) === null ? null : NOT_CARRIED;
