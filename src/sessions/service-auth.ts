import type { Clock } from "../base/clock.ts";
import { sha256, type Vault } from "../base/crypto.ts";
import type { Egress } from "../base/egress.ts";
import { errorText } from "../base/errors.ts";
import type { Db } from "../db/database.ts";

/** Headers that prove who we are to a service, or a sentence why there are none. */
export type ServiceAuth = { ok: true; headers: Record<string, string> } | { ok: false; problem: string };

export type ServiceAuthenticator = {
  headersFor(service_id: number): Promise<ServiceAuth>;
  /** The service answered 401: an access token we hold is no longer good. True when a new one is worth a try. */
  forget(service_id: number): boolean;
};

/** A token is given up this long before it expires, so that it doesn't expire on the way. */
const EXPIRY_MARGIN_MS = 60_000;
const DEFAULT_LIFE_S = 300;
const TOKEN_TIMEOUT_MS = 10_000;

type AuthValues = Record<string, string>;
/** `fingerprint` is of the credentials: a token got with others is not used. */
type AccessToken = { token: string; fingerprint: string; expires_at_ms: number };

export function createServiceAuthenticator(parts: {
  db: Db;
  vault: Vault;
  egress: Egress;
  clock: Clock;
}): ServiceAuthenticator {
  const { db, vault, egress, clock } = parts;
  const tokens = new Map<number, AccessToken>();

  return {
    async headersFor(service_id) {
      const row = await db
        .selectFrom("services")
        .select(["auth_type", "sealed_auth_values"])
        .where("id", "=", service_id)
        .executeTakeFirst();
      if (!row?.auth_type) return { ok: true, headers: {} };
      if (!row.sealed_auth_values)
        return { ok: false, problem: "The tool's service has no credentials set." };
      const values: AuthValues = JSON.parse(vault.open(row.sealed_auth_values));
      switch (row.auth_type) {
        case "basic":
          return {
            ok: true,
            headers: { authorization: basic(values.username ?? "", values.password ?? "") },
          };
        case "bearer":
          return { ok: true, headers: { authorization: `Bearer ${values.token}` } };
        case "custom_headers":
          return { ok: true, headers: values };
        case "oauth2":
          return accessToken(service_id, values);
        default:
          return { ok: false, problem: `The tool's service has an unknown auth_type ${row.auth_type}.` };
      }
    },
    forget: (service_id) => tokens.delete(service_id),
  };

  async function accessToken(service_id: number, values: AuthValues): Promise<ServiceAuth> {
    const fingerprint = sha256(JSON.stringify(values));
    const known = tokens.get(service_id);
    const now = clock.now().getTime();
    if (known?.fingerprint === fingerprint && known.expires_at_ms > now) return bearer(known.token);

    const fetched = await fetchToken(values);
    if ("problem" in fetched) return { ok: false, problem: fetched.problem };
    const expires_at_ms = now + fetched.life_s * 1000 - EXPIRY_MARGIN_MS;
    tokens.set(service_id, { token: fetched.token, fingerprint, expires_at_ms });
    return bearer(fetched.token);
  }

  /** Client credentials, in the body first as most servers take them; some only take them as Basic. */
  async function fetchToken(
    values: AuthValues,
  ): Promise<{ token: string; life_s: number } | { problem: string }> {
    const { auth_url = "", client_id = "", client_secret = "" } = values;
    const ask = (body: Record<string, string>, headers: Record<string, string>) =>
      egress.send({
        url: auth_url,
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          accept: "application/json",
          ...headers,
        },
        body: new URLSearchParams({ grant_type: "client_credentials", ...body }).toString(),
        timeout_ms: TOKEN_TIMEOUT_MS,
        max_response_bytes: 64 * 1024,
      });
    let outcome = await ask({ client_id, client_secret }, {});
    if (outcome.kind === "response" && outcome.status === 401) {
      outcome = await ask({}, { authorization: basic(client_id, client_secret) });
    }
    if (outcome.kind !== "response")
      return { problem: "The sign-in server of the tool's service can't be reached." };
    if (outcome.status !== 200) {
      return { problem: `The sign-in server of the tool's service answered ${outcome.status}.` };
    }
    try {
      const answer = JSON.parse(outcome.body.toString("utf8"));
      if (typeof answer.access_token !== "string") throw new Error("no access_token");
      const life_s = Number(answer.expires_in);
      return {
        token: answer.access_token,
        life_s: Number.isFinite(life_s) && life_s > 0 ? life_s : DEFAULT_LIFE_S,
      };
    } catch (error) {
      return {
        problem: `The sign-in server of the tool's service gave no access token (${errorText(error)}).`,
      };
    }
  }
}

const bearer = (token: string): ServiceAuth => ({ ok: true, headers: { authorization: `Bearer ${token}` } });

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
