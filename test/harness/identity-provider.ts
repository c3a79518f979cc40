import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { Provider } from "oidc-provider";

/** Whom the provider knows, by subject, and what it says of them. */
export type Accounts = Record<string, Record<string, unknown>>;

export type IdentityPeer = { issuer: string; close(): Promise<void> };

const CLIENT = { client_id: "parley", client_secret: "s3cret" };

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const closing = (server: Server) => async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
};

/**
 * A certified OpenID provider (oidc-provider) on loopback. Whoever comes is signed in at once as the account that the
 * address's `login_hint` names by its e-mail address; without one, they press Cancel.
 */
export async function startIdentityProvider(redirectUri: string, accounts: Accounts): Promise<IdentityPeer> {
  const server = createServer((request, response) => handle(request, response));
  const issuer = await listening(server);
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [redirectUri], token_endpoint_auth_method: "client_secret_post" }],
    claims: {
      openid: ["sub", "groups"],
      email: ["email", "email_verified"],
      profile: ["given_name", "family_name"],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts[sub] }) }),
    // Asked for once, not again at its page.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      if (!client || !session?.accountId) return undefined;
      const grant = new context.oidc.provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    cookies: { keys: ["a key of the test"] },
  });
  const answer = provider.callback();
  const handle: Parameters<typeof createServer>[1] & object = async (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return answer(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const found = Object.entries(accounts).find(([, { email }]) => email === params.login_hint);
    const result = found
      ? { login: { accountId: found[0] } }
      : { error: "access_denied", error_description: "The person pressed Cancel" };
    await provider.interactionFinished(request, response, result);
  };
  return { issuer, close: closing(server) };
}

/** What one that lies says: claims to begin with, and what is told otherwise; `meanwhile` happens before it gives a token. */
export type Lie = (
  honest: JWTPayload,
  now_s: number,
) => {
  claims?: JWTPayload;
  issuer?: string;
  foreignKey?: boolean;
  status?: number;
  meanwhile?: () => Promise<unknown>;
};

/** A provider that signs whatever the test wants. Its authorization page sends the browser straight back. */
export async function startLyingProvider(lie: () => Lie): Promise<IdentityPeer> {
  const keys = await generateKeyPair("RS256");
  const foreign = await generateKeyPair("RS256");
  const nonces = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", issuer);
    const now_s = Math.floor(Date.now() / 1000);
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const honest = { iss: issuer, aud: CLIENT.client_id, sub: "u1", iat: now_s, exp: now_s + 300 };
    const told = lie()(honest, now_s);
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer: told.issuer ?? issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        });
      case "/jwks":
        return json({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: "k", alg: "RS256", use: "sig" }] });
      case "/auth": {
        const back = new URL(url.searchParams.get("redirect_uri") ?? "");
        nonces.set("code", url.searchParams.get("nonce") ?? "");
        back.searchParams.set("code", "code");
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        return response.writeHead(302, { location: back.href }).end();
      }
      case "/token": {
        await told.meanwhile?.();
        if (told.status) return json({ error: "server_error" }, told.status);
        const person = { email: "ada@acme.example", email_verified: true, groups: ["staff"] };
        const claims = { ...honest, nonce: nonces.get("code"), ...person, ...told.claims };
        const signed = await new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", kid: "k" })
          .sign(told.foreignKey ? foreign.privateKey : keys.privateKey);
        return json({ access_token: "a", token_type: "Bearer", expires_in: 300, id_token: signed });
      }
      default:
        return json({}, 404);
    }
  });
  const issuer = await listening(server);
  return { issuer, close: closing(server) };
}
