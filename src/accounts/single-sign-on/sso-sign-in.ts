import type { FastifyReply } from "fastify";
import { sql } from "kysely";
import { z } from "zod";
import { recordId } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import type { Log } from "../../base/log.ts";
import type { Db, Tx } from "../../db/database.ts";
import { asActor } from "../audit/sign-in-audit.ts";
import { beginSignIn, rememberSignIn } from "../sign-in/begin-sign-in.ts";
import { type BegunSignIn, type IdentityClient, IdentityFault } from "./identity-client.ts";
import { NoPlace, personOfClaims } from "./person-of-claims.ts";
import { CALLBACK, type FoundProvider, findProvider, START } from "./single-sign-on-store.ts";

const COOKIE = "parley_single_sign_on";
const LIFE_S = 600;

type Begun = BegunSignIn & { organization_id: number; next: string; until: number };

/** What the sign-in page says, by these words: nothing that came from elsewhere is shown there. */
type Problem =
  | "unknown"
  | "unreachable"
  | "cancelled"
  | "too-old"
  | "refused"
  | "no-role"
  | "no-address"
  | "other-address";

const Address = z.object({ email: z.string().max(254) });
const Start = z.object({
  organization_id: recordId(),
  email: z.string().max(254).nullish(),
  next: z.string().max(2000).nullish(),
});

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  log: Log;
  publicUrl: string;
  identity: IdentityClient;
};

/** Signing in by an organization's identity provider: there, and back. */
export function ssoSignInRoutes(api: Api, { db, clock, vault, log, publicUrl, identity }: Deps): void {
  const tag = "console";
  const cookieOptions = {
    path: "/api/console/single-sign-on/",
    httpOnly: true,
    // The browser comes back from another site.
    sameSite: "lax",
    secure: publicUrl.startsWith("https:"),
  } as const;
  const redirectUri = `${publicUrl}${CALLBACK}`;
  const failed = (reply: FastifyReply, problem: Problem) =>
    reply.clearCookie(COOKIE, cookieOptions).redirect(`/sign-in?single_sign_on=${problem}`);

  api.post(
    "/api/console/single-sign-on",
    { summary: "Get how an e-mail address signs in", tag, permission: "public", hidden: true, body: Address },
    async ({ body }) => {
      const address = body.email.trim().toLowerCase();
      const found = await db
        .selectFrom("single_sign_on_domains as d")
        .innerJoin("single_sign_on as o", "o.organization_id", "d.organization_id")
        .select(["o.organization_id", "o.name", "o.issuer"])
        .where("d.domain", "=", address.slice(address.lastIndexOf("@") + 1))
        .executeTakeFirst();
      if (!found) return { start: null };
      const query = new URLSearchParams({ organization_id: String(found.organization_id), email: address });
      return { start: `${START}?${query}`, name: found.name, host: new URL(found.issuer).host };
    },
  );

  api.server.get(START, { schema: { hide: true } }, async (request, reply) => {
    const asked = Start.safeParse(request.query);
    if (!asked.success) return failed(reply, "unknown");
    const { organization_id, email = null, next } = asked.data;
    const provider = await findProvider(db, vault, organization_id);
    if (!provider) return failed(reply, "unknown");
    try {
      const { url, begun } = await identity.begin(provider, { redirectUri, email });
      const until = clock.now().getTime() + LIFE_S * 1000;
      const kept: Begun = { ...begun, organization_id, next: next ?? "", until };
      reply.setCookie(COOKIE, vault.seal(JSON.stringify(kept)), { ...cookieOptions, maxAge: LIFE_S });
      return reply.redirect(url.href);
    } catch (error) {
      return failed(reply, problemOf(error, log, organization_id));
    }
  });

  api.server.get(CALLBACK, { schema: { hide: true } }, async (request, reply) => {
    const begun = begunOf(vault, clock, request.cookies[COOKIE]);
    if (!begun) return failed(reply, "too-old");
    if ((request.query as { error?: unknown }).error === "access_denied") return failed(reply, "cancelled");
    try {
      const asked = await findProvider(db, vault, begun.organization_id);
      if (!asked) return failed(reply, "unknown");
      const claims = await identity.finish(asked, begun, new URL(request.url, publicUrl));
      const signedIn = await db.transaction().execute(async (tx) => {
        const provider = await lockProvider(tx, vault, asked);
        if (!provider) return null;
        const domains = await domainsOf(tx, begun.organization_id);
        const actorOf = (place: Parameters<typeof asActor>[0]) => asActor(place, request);
        const person = await personOfClaims(tx, { api, clock, actorOf }, { ...provider, domains }, claims);
        await api.audit(tx, actorOf(person), {
          action: "sign-in",
          resource: "users",
          resource_id: person.id,
          after: { email: person.email, with: "single sign-on", issuer: provider.issuer },
        });
        const way = { userId: person.id, bound: null, byIdentityProvider: true };
        return { cookie: await beginSignIn(tx, { clock, request }, way), email: person.email.toLowerCase() };
      });
      if (!signedIn) return failed(reply, "unknown");
      reply.clearCookie(COOKIE, cookieOptions);
      rememberSignIn(reply, { vault, publicUrl }, signedIn);
      return goOn(reply, begun.next);
    } catch (error) {
      return failed(reply, problemOf(error, log, begun.organization_id));
    }
  });
}

/** The cookie that signs in goes with requests of our own pages only, so a page of ours leads on, not a redirect. */
function goOn(reply: FastifyReply, next: string) {
  const to = /^\/console\/[^\\"<>]*$/.test(next) ? next : "/console/";
  const address = to.replaceAll("&", "&amp;");
  return reply
    .header("content-security-policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(
      `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><title>Signed in</title><a href="${address}">Continue</a>`,
    );
}

function begunOf(vault: Vault, clock: Clock, cookie: string | undefined): Begun | null {
  try {
    const begun = JSON.parse(vault.open(cookie ?? "")) as Begun;
    return begun.until > clock.now().getTime() ? begun : null;
  } catch {
    return null;
  }
}

/**
 * The provider as it is set now, which stays until the transaction ends; null where it was removed while it answered. Throws
 * an IdentityFault where it was replaced.
 */
async function lockProvider(
  tx: Tx,
  vault: Vault,
  { organization_id, issuer, client_id }: FoundProvider,
): Promise<FoundProvider | null> {
  await sql`select from single_sign_on where organization_id = ${organization_id} for no key update`.execute(
    tx,
  );
  const provider = await findProvider(tx, vault, organization_id);
  if (provider && (provider.issuer !== issuer || provider.client_id !== client_id))
    throw new IdentityFault("refused", `${issuer} was replaced while it answered.`, null);
  return provider;
}

async function domainsOf(db: Db, organization_id: number): Promise<string[]> {
  const rows = await db
    .selectFrom("single_sign_on_domains")
    .select("domain")
    .where("organization_id", "=", organization_id)
    .execute();
  return rows.map(({ domain }) => domain);
}

/** Tells the operator's log what the person is not told. */
function problemOf(error: unknown, log: Log, organization_id: number): Problem {
  if (error instanceof NoPlace) return error.why;
  if (!(error instanceof IdentityFault)) throw error;
  log.warn({ organization_id, reason: error.message }, "A single sign-on failed");
  return error.kind;
}
