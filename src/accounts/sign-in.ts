import { sql } from "kysely";
import { z } from "zod";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { hashPassword, sha256, verifyPassword } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Db, Tx } from "../db/database.ts";

export const SIGN_IN_COOKIE = "parley_sign_in";
const SIGN_IN_LIFE_MS = 12 * 3_600_000;
const CODE_LIFE_MS = 24 * 3_600_000;
/** One address may have places in several organizations, each with its own password; so many are tried. */
const MAX_PLACES = 10;
/** Compared against when an address is unknown, so that both answers take as long. */
const DUMMY_HASH = await hashPassword(randomBase62(20));

const Credentials = z.object({
  email: z.string(),
  password: z.string().max(1000),
  organization_id: recordId().nullish().describe("For people who use one password in several organizations."),
});
const OneTimeCode = z.object({ code: z.string().max(200), password: z.string().min(12).max(1000).nullish() });
const Myself = z.object({
  email: z.string(),
  permissions: z.array(z.string()),
  organization_id: z.int(),
  sub_organization_id: z.int(),
});

type Deps = { db: Db; clock: Clock; publicUrl: string };

/** What a link carries that signs its bearer in once; an earlier one that was not used stops working. */
export async function createSignInCode(tx: Tx, clock: Clock, userId: number): Promise<string> {
  await tx.deleteFrom("one_time_codes").where("user_id", "=", userId).where("used_at", "is", null).execute();
  const code = randomBase62(40);
  await tx
    .insertInto("one_time_codes")
    .values({ code_hash: sha256(code), user_id: userId, purpose: "sign-in", expires_at: codeExpiry(clock) })
    .execute();
  return code;
}

export type SignInLink = { sign_in_link: string; expires_at: string };

export async function createSignInLink(
  tx: Tx,
  { clock, publicUrl }: { clock: Clock; publicUrl: string },
  userId: number,
): Promise<SignInLink> {
  const code = await createSignInCode(tx, clock, userId);
  return { sign_in_link: `${publicUrl}/sign-in?code=${code}`, expires_at: codeExpiry(clock) };
}

const codeExpiry = (clock: Clock): string => new Date(clock.now().getTime() + CODE_LIFE_MS).toISOString();

export function signInRoutes(api: Api, { db, clock, publicUrl }: Deps): void {
  const secure = publicUrl.startsWith("https:");
  const tag = "console";

  const start = async (userId: number): Promise<string> => {
    const cookie = randomBase62(43);
    const now = clock.now();
    await db
      .insertInto("sign_ins")
      .values({
        token_hash: sha256(cookie),
        user_id: userId,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + SIGN_IN_LIFE_MS).toISOString(),
      })
      .execute();
    await db
      .updateTable("users")
      .set({ last_session_at: now.toISOString() })
      .where("id", "=", userId)
      .execute();
    return cookie;
  };
  const cookieOptions = { path: "/", httpOnly: true, sameSite: "strict", secure } as const;

  api.post(
    "/api/console/sign-in",
    {
      summary: "Sign in to the console",
      tag,
      permission: "public",
      hidden: true,
      calls_per_minute: 10,
      body: Credentials,
    },
    async ({ body, reply }) => {
      const user = await findPlace(db, body);
      if (!user) throw new Fault("not-authenticated", "E-mail address or password is wrong.");
      reply.setCookie(SIGN_IN_COOKIE, await start(user.id), cookieOptions);
      return { signed_in: true };
    },
  );

  api.post(
    "/api/console/one-time-code",
    {
      summary: "Use a sign-in link, and set a password with it",
      tag,
      permission: "public",
      hidden: true,
      calls_per_minute: 10,
      body: OneTimeCode,
    },
    async ({ body, reply }) => {
      const now = clock.now().toISOString();
      const used = await db
        .updateTable("one_time_codes")
        .set({ used_at: now })
        .where("code_hash", "=", sha256(body.code))
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .returning("user_id")
        .executeTakeFirst();
      if (!used)
        throw new Fault("not-authenticated", "This link was used before or is too old. Ask for a new one.");
      if (body.password) await setPassword(db, used.user_id, body.password);
      reply.setCookie(SIGN_IN_COOKIE, await start(used.user_id), cookieOptions);
      return { signed_in: true };
    },
  );

  api.post(
    "/api/console/sign-out",
    { summary: "Sign out of the console", tag, permission: "public", hidden: true, body: z.unknown() },
    async ({ request, reply }) => {
      const cookie = request.cookies[SIGN_IN_COOKIE];
      if (cookie) await db.deleteFrom("sign_ins").where("token_hash", "=", sha256(cookie)).execute();
      reply.clearCookie(SIGN_IN_COOKIE, cookieOptions);
      return { signed_in: false };
    },
  );

  api.get(
    "/api/console/me",
    { summary: "Who is signed in", tag, permission: "permissions_read", hidden: true, response: Myself },
    ({ caller }) => ({
      email: caller.email,
      permissions: [...caller.permissions],
      organization_id: caller.organization_id,
      sub_organization_id: caller.sub_organization_id,
    }),
  );
}

async function findPlace(db: Db, given: z.infer<typeof Credentials>): Promise<{ id: number } | null> {
  let places = db
    .selectFrom("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .select(["u.id", "u.password_hash"])
    .where(sql`lower(u.email)`, "=", given.email.trim().toLowerCase())
    .where("u.deleted_at", "is", null)
    .where("u.password_hash", "is not", null);
  if (given.organization_id) places = places.where("s.organization_id", "=", given.organization_id);
  const known = await places.orderBy("u.id").limit(MAX_PLACES).execute();
  for (const place of known) {
    if (await verifyPassword(given.password, place.password_hash ?? DUMMY_HASH)) return place;
  }
  if (known.length === 0) await verifyPassword(given.password, DUMMY_HASH);
  return null;
}

/** Whoever was signed in with the old password is not any more. */
async function setPassword(db: Db, userId: number, password: string): Promise<void> {
  const password_hash = await hashPassword(password);
  await db.transaction().execute(async (tx) => {
    await tx.updateTable("users").set({ password_hash }).where("id", "=", userId).execute();
    await tx.deleteFrom("sign_ins").where("user_id", "=", userId).execute();
  });
}
