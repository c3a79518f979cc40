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

/** What a link carries that signs its bearer in once; an earlier one stops working. */
export async function createSignInCode(tx: Tx, clock: Clock, userId: number): Promise<string> {
  await tx.deleteFrom("one_time_codes").where("user_id", "=", userId).execute();
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

  /** Lock: the person's row first, as wherever their sign-ins and codes are written. */
  const start = async (tx: Tx, userId: number): Promise<string> => {
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
        expires_at: new Date(now.getTime() + SIGN_IN_LIFE_MS).toISOString(),
      })
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
      const cookie = await db.transaction().execute((tx) => start(tx, user.id));
      reply.setCookie(SIGN_IN_COOKIE, cookie, cookieOptions);
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
      const password_hash = body.password ? await hashPassword(body.password) : null;
      const cookie = await db.transaction().execute(async (tx) => {
        const userId = await spendCode(tx, clock, body.code);
        if (userId === null)
          throw new Fault("not-authenticated", "This link was used before or is too old. Ask for a new one.");
        if (password_hash) await setPassword(tx, userId, password_hash);
        return start(tx, userId);
      });
      reply.setCookie(SIGN_IN_COOKIE, cookie, cookieOptions);
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

/**
 * Whose code it was; null when it is none, was spent or is too old. Spent together with what it is used for, or not at
 * all. Lock: the person's row first.
 */
async function spendCode(tx: Tx, clock: Clock, code: string): Promise<number | null> {
  const now = clock.now().toISOString();
  const code_hash = sha256(code);
  await tx
    .selectFrom("users")
    .select("id")
    .where("id", "=", (one) =>
      one.selectFrom("one_time_codes").select("user_id").where("code_hash", "=", code_hash),
    )
    .forUpdate()
    .execute();
  const spent = await tx
    .updateTable("one_time_codes")
    .set({ used_at: now })
    .where("code_hash", "=", code_hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("user_id")
    .executeTakeFirst();
  return spent?.user_id ?? null;
}

/** Whoever was signed in with the old password is not any more. */
async function setPassword(tx: Tx, userId: number, password_hash: string): Promise<void> {
  await tx.updateTable("users").set({ password_hash }).where("id", "=", userId).execute();
  await tx.deleteFrom("sign_ins").where("user_id", "=", userId).execute();
}
