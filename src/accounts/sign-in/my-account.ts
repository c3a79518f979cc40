import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import { timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { hashPassword, type Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import { FACTOR_FIELDS, FactorAsked, type FactorGate } from "./factor-gate.ts";
import {
  auditOwn,
  createGuardedChange,
  createPasswordCheck,
  endSignIns,
  refuseBorrowed,
  thisSignIn,
} from "./own-account.ts";
import { atOnce } from "./password-work.ts";
import { recoveryCodesLeft } from "./recovery-codes.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  countFactorTry,
  factorsOf,
  hasSecondFactor,
  removeApp,
} from "./second-factor.ts";

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
  has_app: z.boolean(),
  has_passkeys: z.boolean(),
  recovery_codes_left: z.int(),
  sign_ins: z.array(OwnSignIn),
});
const Password = z.string().max(1000);
const NewPassword = z.string().min(12).max(1000);
const Code = z.string().max(100);

type Deps = { db: Db; clock: Clock; vault: Vault; gate: FactorGate };

/** What people do with their own account in the console. Each change needs a sign-in that no token and no link of one made. */
export function myAccountRoutes(api: Api, deps: Deps): void {
  const { db, clock, vault } = deps;
  const askPassword = createPasswordCheck(deps);
  const change = createGuardedChange(deps);
  // What every page of the console needs: an account is everybody's own.
  const all = { tag: "console", permission: "permissions_read", hidden: true } as const;

  const told = (tx: Tx, caller: Caller, action: string, after: object = {}) =>
    auditOwn(api, tx, caller, action, after);

  api.get(
    "/api/console/account",
    { ...all, summary: "Get your account and sign-ins", response: MyAccount },
    async ({ caller, request }) => {
      const { password_hash } = await db
        .selectFrom("users")
        .select("password_hash")
        .where("id", "=", caller.user_id)
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
      const { has_app, passkeys } = await factorsOf(db, caller.user_id);
      return {
        email: caller.email,
        has_password: password_hash !== null,
        has_second_factor: has_app || passkeys > 0,
        has_app,
        has_passkeys: passkeys > 0,
        recovery_codes_left: await recoveryCodesLeft(db, caller.user_id),
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
      summary: "Create a key for an authenticator app, to be confirmed with one of its codes",
      body: z.object({ password: Password, ...FACTOR_FIELDS }),
      response: z.union([z.object({ key: z.string(), address: z.string() }), FactorAsked]),
    },
    ({ caller, request, body }) =>
      change({ caller, request }, body, async (tx, pass) => {
        const person = { id: caller.user_id, email: caller.email };
        const key = await beginSecondFactor(tx, { clock, vault }, person);
        // Whoever has a passkey adds an app with it only.
        await pass();
        return key;
      }),
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
      summary: "Remove your authenticator app",
      body: z.object({ password: Password, code: Code.nullish(), passkey: FACTOR_FIELDS.passkey }),
      response: z.union([z.object({ has_second_factor: z.boolean() }), FactorAsked]),
    },
    ({ caller, request, body: { code, ...body } }) =>
      change({ caller, request }, { ...body, second_factor: code }, async (tx, pass) => {
        await pass();
        if (await removeApp(tx, caller.user_id)) await told(tx, caller, "remove-second-factor");
        return { has_second_factor: await hasSecondFactor(tx, caller.user_id) };
      }),
  );
}
