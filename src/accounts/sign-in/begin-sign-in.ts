import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bound } from "../../api/caller.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256, type Vault } from "../../base/crypto.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Tx } from "../../db/database.ts";
import { boundColumns, notAfter } from "../bound.ts";
import { BROWSER_COOKIE, BROWSER_LIFE_S, browserCookie } from "./sign-in-limit.ts";

export const SIGN_IN_COOKIE = "parley_sign_in";
const SIGN_IN_LIFE_MS = 12 * 3_600_000;

type Beginning = { userId: number; bound: Bound | null; byIdentityProvider?: boolean };

/** Resolves with what the browser keeps. Lock: the person's row first, as wherever their sign-ins and codes are written. */
export async function beginSignIn(
  tx: Tx,
  { clock, request }: { clock: Clock; request: FastifyRequest },
  { userId, bound, byIdentityProvider = false }: Beginning,
): Promise<string> {
  const cookie = randomBase62(43);
  const now = clock.now();
  const created_at = now.toISOString();
  await tx.updateTable("users").set({ last_session_at: created_at }).where("id", "=", userId).execute();
  await tx
    .deleteFrom("sign_ins")
    .where("user_id", "=", userId)
    .where("expires_at", "<=", created_at)
    .execute();
  await tx
    .insertInto("sign_ins")
    .values({
      token_hash: sha256(cookie),
      user_id: userId,
      created_at,
      last_used_at: created_at,
      address: request.ip,
      browser: request.headers["user-agent"]?.slice(0, 300) ?? null,
      expires_at: notAfter(bound, new Date(now.getTime() + SIGN_IN_LIFE_MS)).toISOString(),
      by_identity_provider: byIdentityProvider,
      ...boundColumns(bound),
    })
    .execute();
  return cookie;
}

/** Whoever sets up a second factor or a password meanwhile is waited for. */
export const lockPerson = (tx: Tx, id: number) =>
  tx.selectFrom("users").select(["id", "password_hash"]).where("id", "=", id).forUpdate().execute();

export const cookieOptions = (publicUrl: string) =>
  ({ path: "/", httpOnly: true, sameSite: "strict", secure: publicUrl.startsWith("https:") }) as const;

/** The sign-in, and that this browser has signed this address in before. */
export function rememberSignIn(
  reply: FastifyReply,
  { vault, publicUrl }: { vault: Vault; publicUrl: string },
  { cookie, email }: { cookie: string; email: string },
): void {
  const options = cookieOptions(publicUrl);
  reply.setCookie(SIGN_IN_COOKIE, cookie, options);
  reply.setCookie(BROWSER_COOKIE, browserCookie(vault, email), {
    ...options,
    path: "/api/console/",
    maxAge: BROWSER_LIFE_S,
  });
}
