import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { auditCounted } from "../accounts/audit/counted-audit.ts";
import type { Clock } from "../base/clock.ts";
import { sha256, type Vault } from "../base/crypto.ts";
import { unreachable } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import { tryParseJson } from "../base/parse-json.ts";
import { cutTo, storableText } from "../base/storable.ts";
import type { Db } from "../db/database.ts";
import type { Egress, EgressOutcome } from "../egress/egress.ts";
import { hideSecrets } from "../egress/hide-secrets.ts";
import { own } from "../expressions/member.ts";

/** An access token, or a sentence why there is none. */
type AccessToken = { ok: true; token: string } | { ok: false; problem: string };

/** As a service with `auth_type` oauth2 keeps them. */
type ClientCredentials = { auth_url?: string; client_id?: string; client_secret?: string };

/**
 * The access tokens of services, one for all processes. Some providers take the first token back when they give a second:
 * calls at once in one process share one question, and between processes a row lease says who asks.
 */
type AccessTokens = {
  tokenFor(service_id: number, credentials: ClientCredentials): Promise<AccessToken>;
  /** A service refused this token. True when another is worth a try; false: the service has none of ours. */
  refuse(service_id: number, token: string): Promise<boolean>;
};

/** A token is given up this long before it expires, so that it doesn't expire on the way; a short one at half its life. */
const EXPIRY_MARGIN_S = 60;
const DEFAULT_LIFE_S = 300;
/** Longer than a sign-in server means, where it counts in milliseconds or gives a moment in place of a length. */
const LONGEST_LIFE_S = 30 * 86_400;
const TOKEN_TIMEOUT_MS = 10_000;
/** Longer than the two questions that a fetch may take; then whoever asked has died. */
export const TOKEN_LEASE_MS = 25_000;
/** How often it is looked whether the process that asks has an answer. */
const LOOK_MS = 50;

/** Who signed in, where a call of a tool needed it and no person. */
const OURSELVES = "Parley";

type Parts = { db: Db; vault: Vault; egress: Egress; clock: Clock };

export function createAccessTokens({ db, vault, egress, clock }: Parts): AccessTokens {
  const underWay = new Map<string, Promise<AccessToken>>();

  return {
    tokenFor(service_id, credentials) {
      const fingerprint = sha256(JSON.stringify(credentials));
      const key = `${service_id}/${fingerprint}`;
      const asking =
        underWay.get(key) ?? shared(service_id, credentials, fingerprint).finally(() => underWay.delete(key));
      underWay.set(key, asking);
      return asking;
    },
    async refuse(service_id, token) {
      const row = await db
        .selectFrom("service_tokens")
        .select("sealed_token")
        .where("service_id", "=", service_id)
        .executeTakeFirst();
      // Another one may have come in since; it is not thrown away with this.
      if (row?.sealed_token && vault.open(row.sealed_token) === token) {
        await db
          .updateTable("service_tokens")
          .set({ sealed_token: null })
          .where("service_id", "=", service_id)
          .where("sealed_token", "=", row.sealed_token)
          .execute();
      }
      return row !== undefined;
    },
  };

  /** The token that is stored, or a new one as soon as nobody else is asking for it. */
  async function shared(
    service_id: number,
    credentials: ClientCredentials,
    fingerprint: string,
  ): Promise<AccessToken> {
    const deadline = performance.now() + TOKEN_LEASE_MS;
    for (;;) {
      const known = await storedToken(service_id, fingerprint);
      if (known !== null) return { ok: true, token: known };
      const lease = randomId();
      if (await takeLease(service_id, fingerprint, lease)) {
        return await renewed(service_id, credentials, fingerprint, lease);
      }
      if (performance.now() > deadline) return { ok: false, problem: UNREACHABLE };
      await sleep(LOOK_MS);
    }
  }

  async function storedToken(service_id: number, fingerprint: string): Promise<string | null> {
    const row = await db
      .selectFrom("service_tokens")
      .select("sealed_token")
      .where("service_id", "=", service_id)
      .where("fingerprint", "=", fingerprint)
      .where("expires_at", ">", clock.now().toISOString())
      .executeTakeFirst();
    return row?.sealed_token ? vault.open(row.sealed_token) : null;
  }

  /** Not where a token was stored since we looked. Lock: the service's row here. */
  async function takeLease(service_id: number, fingerprint: string, lease: string): Promise<boolean> {
    const now = clock.now();
    const until = new Date(now.getTime() + TOKEN_LEASE_MS).toISOString();
    const { rows } = await sql`
      insert into service_tokens as t (service_id, lease_owner, lease_expires_at)
      values (${service_id}, ${lease}, ${until})
      on conflict (service_id) do update
      set lease_owner = excluded.lease_owner, lease_expires_at = excluded.lease_expires_at
      where (t.lease_owner is null or t.lease_expires_at < ${now.toISOString()})
        and (t.sealed_token is null or t.fingerprint <> ${fingerprint} or t.expires_at <= ${now.toISOString()})
      returning service_id`.execute(db);
    return rows.length > 0;
  }

  async function renewed(
    service_id: number,
    credentials: ClientCredentials,
    fingerprint: string,
    lease: string,
  ): Promise<AccessToken> {
    const asked_at = clock.now().getTime();
    const fetched = await fetchToken(egress, credentials);
    await db
      .updateTable("service_tokens")
      .set({
        lease_owner: null,
        lease_expires_at: null,
        ...(fetched.ok && {
          fingerprint,
          sealed_token: vault.seal(fetched.token),
          expires_at: new Date(asked_at + usableFor(fetched.life_s) * 1000).toISOString(),
        }),
      })
      .where("service_id", "=", service_id)
      .where("lease_owner", "=", lease)
      .execute();
    await audited(service_id, credentials, fetched);
    return fetched;
  }

  /** One entry an hour for each outcome: a token may live for seconds, and a server may be down for hours. */
  async function audited(service_id: number, { auth_url = "" }: ClientCredentials, fetched: Fetched) {
    const service = await db
      .selectFrom("services")
      .select(["name", "sub_organization_id"])
      .where("id", "=", service_id)
      .executeTakeFirst();
    if (!service) return;
    const outcome = fetched.ok ? "got an access token" : fetched.problem;
    await auditCounted(db, clock.now(), [
      {
        by: {
          sub_organization_id: service.sub_organization_id,
          email: OURSELVES,
          user_id: null,
          api_token_id: null,
          address: null,
          request_id: null,
        },
        entry: {
          action: fetched.ok ? "sign-in" : "sign-in-failed",
          resource: "services",
          resource_id: service_id,
          after: { name: service.name, auth_url: withoutQuery(auth_url), outcome },
        },
        key: `service-sign-in ${service_id} ${fetched.ok}`,
      },
    ]);
  }
}

const SERVER = "The sign-in server of the tool's service";
const UNREACHABLE = `${SERVER} can't be reached.`;

type Fetched = { ok: true; token: string; life_s: number } | { ok: false; problem: string };

/** Client credentials, in the body first as most servers take them; some only take them as Basic. */
async function fetchToken(egress: Egress, credentials: ClientCredentials): Promise<Fetched> {
  const { auth_url = "", client_id = "", client_secret = "" } = credentials;
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
  if (outcome.kind !== "response" || outcome.status !== 200)
    return { ok: false, problem: `${SERVER} ${whyNone(outcome, credentials)}` };
  const answer = tryParseJson(outcome.body);
  const token = own(answer, "access_token");
  const life_s = Number(own(answer, "expires_in"));
  // Without a word of the answer: it may hold the token in another spelling.
  if (typeof token !== "string" || token === "") {
    return { ok: false, problem: `${SERVER} gave no access_token in JSON.` };
  }
  return { ok: true, token, life_s: life_s > 0 ? Math.min(life_s, LONGEST_LIFE_S) : DEFAULT_LIFE_S };
}

function whyNone(outcome: EgressOutcome, credentials: ClientCredentials): string {
  switch (outcome.kind) {
    case "response": {
      const why = saidWhy(outcome.body, credentials);
      return `answered ${outcome.status}${why ? `: ${why}` : "."}`;
    }
    case "redirect":
      return `answered with a redirect (${outcome.status}), which is not followed.`;
    case "timeout":
      return `did not answer within ${Math.round(outcome.after_ms / 1000)} s.`;
    case "refused":
    case "failed":
      return `can't be reached: ${outcome.reason}.`;
    default:
      return unreachable(outcome);
  }
}

/** What RFC 6749 (5.2) has a server say: a code, and perhaps a sentence for people. Null where it says neither. */
function saidWhy(body: Buffer, { client_id, client_secret }: ClientCredentials): string | null {
  const answer = tryParseJson(body);
  const said = ["error", "error_description"]
    .map((field) => own(answer, field))
    .filter((text) => typeof text === "string" && text !== "");
  const text = storableText(said.join(", "))
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return cutTo(hideSecrets(text, [`${client_id}:${client_secret}`, client_secret]), LONGEST_REASON) || null;
}

const LONGEST_REASON = 500;

const usableFor = (life_s: number): number => life_s - Math.min(EXPIRY_MARGIN_S, life_s / 2);

/** An address without what may be a secret in it. */
export function withoutQuery(url: string): string | null {
  const { origin, pathname } = URL.parse(url) ?? {};
  return origin === undefined ? null : `${origin}${pathname}`;
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
