import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { hashPassword, sha256, type Vault, verifyPassword } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import { SIGN_IN_COOKIE } from "./begin-sign-in.ts";
import { atOnce } from "./password-work.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  countFactorTry,
  hasSecondFactor,
  removeSecondFactor,
  spendFactor,
} from "./second-factor.ts";
import { createSignInLimit } from "./sign-in-limit.ts";

const OwnSignIn = z.object({
  id: z.int(),
  created_at: timestamp(),
  expires_at: timestamp(),
  last_used_at: timestamp().nullable(),
  address: z.string().nullable(),
  browser: z.string().nullable(),
  is_this: z.boolean(),
});
const MyAccount = z.object({
  email: z.string(),
  has_password: z.boolean(),
  has_second_factor: z.boolean(),
  recovery_codes_left: z.int(),
  sign_ins: z.array(OwnSignIn),
});
const Password = z.string().max(1000);
const NewPassword = z.string().min(12).max(1000);
const Code = z.string().max(100);

type Deps = { db: Db; clock: Clock; vault: Vault };
type Own = { caller: Caller; request: FastifyRequest };

/** What people do with their own account in the console. Each change needs a sign-in that no token and no link of one made. */
export function myAccountRoutes(api: Api, { db, clock, vault }: Deps): void {
  const limit = createSignInLimit({ db, clock, vault });
  // What every page of the console needs: an account is everybody's own.
  const all = { tag: "console", permission: "permissions_read", hidden: true } as const;

  const told = (tx: Tx, caller: Caller, action: string, after: object = {}) =>
    api.audit(tx, caller, {
      ...{ action, resource: "users", resource_id: caller.user_id },
      after: { email: caller.email, ...after },
    });

  /** The password once more, counted like the one of a sign-in. */
  const askPassword = async ({ caller, request }: Own, password: string): Promise<void> => {
    const { password_hash } = await db
      .selectFrom("users")
      .select("password_hash")
      .where("id", "=", caller.user_id)
      .executeTakeFirstOrThrow();
    if (password_hash === null)
      throw new Fault("refused", "You have no password yet. Set one with a sign-in link first.");
    const { takeBack } = await limit.count({ request, email: caller.email.toLowerCase() });
    if (!(await atOnce(() => verifyPassword(password, password_hash))))
      throw new Fault("refused", "The password is wrong.");
    await takeBack();
  };

  api.get(
    "/api/console/account",
    { ...all, summary: "Your account and sign-ins", response: MyAccount },
    async ({ caller, request }) => {
      const { password_hash } = await db
        .selectFrom("users")
        .select("password_hash")
        .where("id", "=", caller.user_id)
        .executeTakeFirstOrThrow();
      const left = await db
        .selectFrom("recovery_codes")
        .select((one) => one.fn.countAll<string>().as("count"))
        .where("user_id", "=", caller.user_id)
        .where("used_at", "is", null)
        .executeTakeFirstOrThrow();
      const signIns = await db
        .selectFrom("sign_ins")
        .select(["id", "created_at", "expires_at", "last_used_at", "address", "browser", "token_hash"])
        .where("user_id", "=", caller.user_id)
        .where("expires_at", ">", clock.now().toISOString())
        .orderBy("created_at", "desc")
        .limit(200)
        .execute();
      const mine = thisSignIn(request);
      return {
        email: caller.email,
        has_password: password_hash !== null,
        has_second_factor: await hasSecondFactor(db, caller.user_id),
        recovery_codes_left: Number(left.count),
        sign_ins: signIns.map(({ token_hash, ...shown }) => ({ ...shown, is_this: token_hash === mine })),
      };
    },
  );

  api.post(
    "/api/console/account/end-sign-ins",
    {
      ...all,
      summary: "End one of your sign-ins, or all others",
      body: z.object({ id: z.int().positive().max(Number.MAX_SAFE_INTEGER).nullish() }),
      response: z.object({ ended: z.int() }),
    },
    ({ caller, request, body }) =>
      db.transaction().execute(async (tx) => {
        await refuseBorrowed(tx, caller, request);
        const ended = await endSignIns(tx, caller.user_id, body.id ?? { but: thisSignIn(request) });
        if (body.id && ended === 0) throw new Fault("not-found", "This sign-in has ended already.");
        if (ended > 0) await told(tx, caller, "end-sign-ins", { ended });
        return { ended };
      }),
  );

  api.post(
    "/api/console/account/password",
    {
      ...all,
      summary: "Change your password; all other sign-ins end",
      body: z.object({ password: Password, new_password: NewPassword }),
      response: z.object({ ended: z.int() }),
    },
    async ({ caller, request, body }) => {
      await refuseBorrowed(db, caller, request);
      await askPassword({ caller, request }, body.password);
      const password_hash = await atOnce(() => hashPassword(body.new_password));
      return db.transaction().execute(async (tx) => {
        await refuseBorrowed(tx, caller, request);
        await tx.updateTable("users").set({ password_hash }).where("id", "=", caller.user_id).execute();
        // A link that was made for the old password would set another one.
        await tx.deleteFrom("one_time_codes").where("user_id", "=", caller.user_id).execute();
        const ended = await endSignIns(tx, caller.user_id, { but: thisSignIn(request) });
        await told(tx, caller, "change-password", { ended });
        return { ended };
      });
    },
  );

  api.post(
    "/api/console/account/second-factor",
    {
      ...all,
      summary: "A new key for an authenticator app, to be confirmed with a code of it",
      body: z.object({ password: Password }),
      response: z.object({ key: z.string(), address: z.string() }),
    },
    async ({ caller, request, body }) => {
      await refuseBorrowed(db, caller, request);
      await askPassword({ caller, request }, body.password);
      return db.transaction().execute(async (tx) => {
        await refuseBorrowed(tx, caller, request);
        return beginSecondFactor(tx, { clock, vault }, { id: caller.user_id, email: caller.email });
      });
    },
  );

  api.post(
    "/api/console/account/second-factor/confirm",
    {
      ...all,
      summary: "Confirm the key with a code; the recovery codes are shown this once",
      body: z.object({ code: Code }),
      response: z.object({ recovery_codes: z.array(z.string()) }),
    },
    async ({ caller, request, body }) => {
      const right = await countFactorTry({ db, clock, vault }, caller.user_id);
      const recovery_codes = await db.transaction().execute(async (tx) => {
        await refuseBorrowed(tx, caller, request);
        const codes = await confirmSecondFactor(tx, { clock, vault }, caller.user_id, body.code);
        if (codes === null) return null;
        // The others were made with one factor.
        const ended = await endSignIns(tx, caller.user_id, { but: thisSignIn(request) });
        await told(tx, caller, "set-second-factor", { ended });
        return codes;
      });
      if (recovery_codes === null)
        throw new Fault("refused", "This code is wrong. Check the clock of your device.");
      await right();
      return { recovery_codes };
    },
  );

  api.post(
    "/api/console/account/second-factor/remove",
    {
      ...all,
      summary: "Remove your second factor",
      body: z.object({ password: Password, code: Code }),
      response: z.object({ has_second_factor: z.boolean() }),
    },
    async ({ caller, request, body }) => {
      await refuseBorrowed(db, caller, request);
      await askPassword({ caller, request }, body.password);
      const right = await countFactorTry({ db, clock, vault }, caller.user_id);
      await db.transaction().execute(async (tx) => {
        await refuseBorrowed(tx, caller, request);
        const verdict = await spendFactor(tx, { clock, vault }, caller.user_id, body.code);
        if (verdict === "wrong")
          throw new Fault("refused", "This code is wrong, too old or was used before.");
        if (await removeSecondFactor(tx, [caller.user_id])) await told(tx, caller, "remove-second-factor");
      });
      await right();
      return { has_second_factor: false };
    },
  );
}

const thisSignIn = (request: FastifyRequest): string => sha256(request.cookies[SIGN_IN_COOKIE] ?? "");

/**
 * Nothing made with a token changes how somebody gets in for good. Lock: the person's row first, as wherever their sign-ins
 * are written.
 */
async function refuseBorrowed(db: Db, caller: Caller, request: FastifyRequest): Promise<void> {
  await db.selectFrom("users").select("id").where("id", "=", caller.user_id).forUpdate().execute();
  const own = await db
    .selectFrom("sign_ins")
    .select("id")
    .where("token_hash", "=", thisSignIn(request))
    .where("user_id", "=", caller.user_id)
    .where("bound_until", "is", null)
    .executeTakeFirst();
  if (caller.api_token_id !== null || !own)
    throw new Fault("forbidden", "Sign in to the console with your password to change your account.");
}

async function endSignIns(tx: Tx, user_id: number, which: number | { but: string }): Promise<number> {
  const all = tx.deleteFrom("sign_ins").where("user_id", "=", user_id);
  const ended =
    typeof which === "number" ? all.where("id", "=", which) : all.where("token_hash", "<>", which.but);
  return Number((await ended.executeTakeFirst()).numDeletedRows);
}
