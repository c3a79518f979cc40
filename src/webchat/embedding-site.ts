import type { FastifyInstance, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { isOwnPage } from "../api/own-page.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { parseAllowedOrigins } from "../channels/allowed-origins.ts";
import type { Db } from "../db/database.ts";

/*
 * Somebody's site that talks with an agent from its own page (`@parley/react`), not in a frame of ours. It has to be
 * registered with the chat's channel, and a token holds on the site that it was given to and nowhere else.
 */

const API = "/chat/v1/";
/** So long may a browser keep the answer of a preflight. */
const PREFLIGHT_S = "600";

/** The foreign site whose page sends this; null: our own page, or a program. */
export function siteOf(request: FastifyRequest): string | null {
  const { origin } = request.headers;
  if (origin === undefined || isOwnPage(request)) return null;
  return URL.canParse(origin) ? new URL(origin).origin : "null";
}

/** Refuses a page of a site that the channel does not name. */
export async function requireAllowedSite(db: Db, site: string | null, channel_id: number): Promise<void> {
  if (site === null) return;
  const row = await db
    .selectFrom("channels")
    .select(sql<string | null>`config -> 'credentials' ->> 'allowed_origins'`.as("allowed_origins"))
    .where("id", "=", channel_id)
    .executeTakeFirst();
  if (parseAllowedOrigins(row?.allowed_origins ?? "").origins.includes(site)) return;
  throw new Fault(
    "forbidden",
    `This chat can't be used from ${site === "null" ? "a page without an address" : site}. Add the site to the allowed origins of the chat's channel.`,
  );
}

/** What is hashed of a token: of one that a foreign site was given, the site is a part. */
export const boundToken = (token: string, site: string | null): string =>
  site === null ? token : `${token} ${site}`;

const CALL_TOKEN = "chat-call-site";

/** The tokens of a call, which open its socket: of one that a foreign site began, they open it on that site. */
export type SiteTokens = { write(token: string): string; read(given: string): string | null };

export const siteTokens = (vault: Vault, site: string | null): SiteTokens => ({
  write: (token) => (site === null ? token : `${token}.${vault.sign(CALL_TOKEN, `${token} ${site}`)}`),
  read(given) {
    const [token = "", signature, ...rest] = given.split(".");
    if (site === null) return signature === undefined ? token : null;
    const isSigned =
      signature !== undefined && rest.length === 0 && vault.verify(CALL_TOKEN, `${token} ${site}`, signature);
    return isSigned ? token : null;
  },
});

/**
 * Lets foreign pages read the answers of the chat API, refusals too, so that a page can show why. No cookie goes along,
 * and whether a site may do anything is decided by each operation.
 */
export function allowForeignPages(server: FastifyInstance): void {
  server.addHook("onRequest", async (request, reply) => {
    if (!request.url.startsWith(API)) return;
    reply.header("vary", "Origin");
    const site = siteOf(request);
    if (site === null) return;
    reply
      .header("access-control-allow-origin", request.headers.origin)
      .header("access-control-expose-headers", "retry-after");
  });
  server.options(`${API}*`, { schema: { hide: true } }, (_request, reply) =>
    reply
      .code(204)
      .header("access-control-allow-methods", "GET, POST")
      .header("access-control-allow-headers", "content-type")
      .header("access-control-max-age", PREFLIGHT_S)
      .send(),
  );
}
