import type * as OpenId from "openid-client";
import type { Egress } from "../../egress/egress.ts";

/** An identity provider as openid-client needs it. `secret` null: a public client, by PKCE alone. */
export type IdentityProvider = { issuer: string; client_id: string; secret: string | null };

/** What the provider says of whoever signed in. */
export type Claims = Record<string, unknown> & { sub: string; iss: string };

export type BegunSignIn = { state: string; nonce: string; verifier: string };

/** `why` is for a person; the cause, in the library's words, for the log. */
export class IdentityFault extends Error {
  readonly kind: "unreachable" | "refused";
  constructor(kind: "unreachable" | "refused", why: string, cause: unknown) {
    super(why, { cause });
    this.kind = kind;
  }
}

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;
/** A provider's keys and addresses are asked for again after this. */
const KEPT_MS = 10 * 60_000;
const MOST_KEPT = 100;
/** Between the provider's clock and ours. */
const TOLERANCE_S = 30;

/** Talks with identity providers by OpenID Connect: https://openid.net/specs/openid-connect-core-1_0.html */
export function createIdentityClient(egress: Egress) {
  const kept = new Map<string, { at: number; configuration: Promise<OpenId.Configuration> }>();

  /** Throws an IdentityFault. */
  async function configurationOf(provider: IdentityProvider): Promise<OpenId.Configuration> {
    const key = JSON.stringify(provider);
    const now = performance.now();
    const known = kept.get(key);
    if (known && now - known.at < KEPT_MS) return known.configuration;
    const configuration = discover(provider);
    kept.set(key, { at: now, configuration });
    configuration.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return configuration;
  }

  async function discover({ issuer, client_id, secret }: IdentityProvider): Promise<OpenId.Configuration> {
    const client = await import("openid-client");
    const auth = secret === null ? client.None() : client.ClientSecretPost(secret);
    const metadata = { [client.clockTolerance]: TOLERANCE_S };
    try {
      const configuration = await client.discovery(new URL(issuer), client_id, metadata, auth, {
        [client.customFetch]: fetchBy(egress),
        // Whether http may be used at all is the egress guard's word. The ID token's signature is checked although it comes
        // from the provider itself, which the library takes as proof enough.
        execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
        timeout: TIMEOUT_MS / 1000,
      });
      configuration[client.customFetch] = fetchBy(egress);
      return configuration;
    } catch (cause) {
      throw faultOf(cause, `${issuer} did not answer with a configuration that can be used`);
    }
  }

  return {
    /** Asks for the provider's configuration, and nothing else. */
    async check(provider: IdentityProvider): Promise<void> {
      kept.delete(JSON.stringify(provider));
      await configurationOf(provider);
    },

    /** Where the browser is sent, and what has to be known when it comes back. */
    async begin(
      provider: IdentityProvider,
      { redirectUri, email }: { redirectUri: string; email: string | null },
    ): Promise<{ url: URL; begun: BegunSignIn }> {
      const configuration = await configurationOf(provider);
      const client = await import("openid-client");
      const begun = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: "S256",
        ...(email && { login_hint: email }),
      });
      return { url, begun };
    },

    /** Spends the code of the address that the browser came back to. Throws an IdentityFault. */
    async finish(provider: IdentityProvider, begun: BegunSignIn, cameBack: URL): Promise<Claims> {
      const configuration = await configurationOf(provider);
      const client = await import("openid-client");
      try {
        const tokens = await client.authorizationCodeGrant(configuration, cameBack, {
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          pkceCodeVerifier: begun.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new Error("no ID token");
        if (typeof claims.email === "string" || !configuration.serverMetadata().userinfo_endpoint)
          return claims;
        const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        return { ...more, ...claims };
      } catch (cause) {
        throw faultOf(cause, "The identity provider's answer could not be accepted");
      }
    },
  };
}

export type IdentityClient = ReturnType<typeof createIdentityClient>;

class Unreachable extends Error {}

const fetchBy =
  (egress: Egress): OpenId.CustomFetch =>
  async (url, { method, headers, body }) => {
    const outcome = await egress.send({
      url,
      method: method as "GET" | "POST",
      headers: { ...headers },
      ...(body != null && { body: body instanceof Uint8Array ? body : String(body) }),
      timeout_ms: TIMEOUT_MS,
      max_response_bytes: MOST_BYTES,
      httpsOnly: true,
    });
    switch (outcome.kind) {
      case "response":
        if (outcome.truncated) throw new Unreachable("its answer is larger than 1 MB");
        return new Response(new Uint8Array(outcome.body), {
          status: outcome.status,
          headers: outcome.headers,
        });
      case "redirect":
        return new Response(null, { status: outcome.status });
      case "timeout":
        throw new Unreachable(`it did not answer within ${TIMEOUT_MS / 1000} s`);
      default:
        throw new Unreachable(outcome.reason);
    }
  };

/** In a person's words, with what the library says of an answer. */
function faultOf(error: unknown, what: string): IdentityFault {
  for (let cause = error; cause instanceof Error; cause = cause.cause as Error) {
    if (cause instanceof Unreachable)
      return new IdentityFault("unreachable", `${what}: ${cause.message}.`, error);
  }
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  const why = [message, cause?.message].filter((text) => text).join("; ");
  return new IdentityFault("refused", `${what}: ${why}.`, error);
}
