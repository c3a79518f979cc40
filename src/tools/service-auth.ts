import { type Selectable, sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import { fixedStatement } from "../db/fixed-statement.ts";
import type { DB } from "../db/types.ts";
import type { Egress } from "../egress/egress.ts";
import { basic, createAccessTokens } from "./access-token.ts";
import { allowedHostOf } from "./allowed-hosts.ts";

/** Headers that prove who we are to a service, or a sentence why there are none. */
type ServiceAuth = { ok: true; headers: Record<string, string> } | { ok: false; problem: string };

export type ServiceAuthenticator = {
  /** For a request to this address, with every variable in it filled in. */
  headersFor(service_id: number, url: string): Promise<ServiceAuth>;
  /** The service answered 401 to these headers. True when others are worth a try: their access token was no longer good. */
  refused(service_id: number, headers: Record<string, string>): Promise<boolean>;
};

type AuthValues = Record<string, string>;

type StoredCredentials = Pick<
  Selectable<DB["services"]>,
  "name" | "auth_type" | "sealed_auth_values" | "allowed_hosts"
>;

const credentialsOf = fixedStatement<{ service_id: number }, StoredCredentials>(
  ({ service_id }) => sql`
    select name, auth_type, sealed_auth_values, allowed_hosts from services where id = ${service_id}`,
);

export function createServiceAuthenticator(parts: {
  db: Db;
  vault: Vault;
  egress: Egress;
  clock: Clock;
}): ServiceAuthenticator {
  const { db, vault } = parts;
  const tokens = createAccessTokens(parts);

  return {
    async headersFor(service_id, url) {
      const [row] = await credentialsOf(db, { service_id });
      if (!row?.auth_type) return { ok: true, headers: {} };
      if (!row.sealed_auth_values)
        return { ok: false, problem: "The tool's service has no credentials set." };
      const host = allowedHostOf(url);
      if (host === null || !row.allowed_hosts?.includes(host)) {
        const why =
          row.allowed_hosts === null
            ? "the service has no allowed hosts yet. Add the host to them, together with the secret."
            : "it is not one of the service's allowed hosts.";
        const problem = `The credentials of the service "${row.name}" may not be sent to ${host ?? "this address"}: ${why} Nothing was sent.`;
        return { ok: false, problem };
      }
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
        case "oauth2": {
          const access = await tokens.tokenFor(service_id, values);
          return access.ok ? { ok: true, headers: { authorization: `Bearer ${access.token}` } } : access;
        }
        default:
          return { ok: false, problem: `The tool's service has an unknown auth_type ${row.auth_type}.` };
      }
    },
    async refused(service_id, { authorization = "" }) {
      const [row] = await credentialsOf(db, { service_id });
      return row?.auth_type === "oauth2" && tokens.refuse(service_id, authorization.slice("Bearer ".length));
    },
  };
}
