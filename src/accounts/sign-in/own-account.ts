import type { FastifyRequest } from "fastify";
import type { Caller } from "../../api/caller.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256, type Vault, verifyPassword } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import { SIGN_IN_COOKIE } from "./begin-sign-in.ts";
import type { FactorGate } from "./factor-gate.ts";
import { atOnce } from "./password-work.ts";
import { createSignInLimit } from "./sign-in-limit.ts";

type Own = { caller: Caller; request: FastifyRequest };

/** Asks for the password once more, counted like the one of a sign-in. */
export function createPasswordCheck({ db, clock, vault }: { db: Db; clock: Clock; vault: Vault }) {
  const limit = createSignInLimit({ db, clock, vault });
  return async ({ caller, request }: Own, password: string): Promise<void> => {
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
}

type Factor = Parameters<FactorGate["prepare"]>[1];

/**
 * Changes how somebody signs in, for who knows the password and has the second factor. `act` calls `pass` where it wants the
 * factor; one that is missing undoes all, and the answer says what to ask for.
 */
export function createGuardedChange(deps: { db: Db; clock: Clock; vault: Vault; gate: FactorGate }) {
  const { db, gate } = deps;
  const askPassword = createPasswordCheck(deps);
  return async <Result>(
    own: Own,
    { password, ...given }: { password: string } & Factor,
    act: (tx: Tx, pass: () => Promise<unknown>) => Promise<Result>,
  ): Promise<Result | Awaited<ReturnType<FactorGate["answer"]>>> => {
    const { caller, request } = own;
    await refuseBorrowed(db, caller, request);
    await askPassword(own, password);
    const factor = await gate.prepare(caller.user_id, given);
    const change = async (tx: Tx): Promise<Result> => {
      await refuseBorrowed(tx, caller, request);
      return act(tx, () => gate.pass(tx, factor));
    };
    const changed = await db
      .transaction()
      .execute(change)
      .catch((error) => gate.answer(request, error, null));
    await factor.right();
    return changed;
  };
}

/** What somebody did with their own account. */
export const auditOwn = (api: Api, tx: Tx, caller: Caller, action: string, after: object) =>
  api.audit(tx, caller, {
    action,
    resource: "users",
    resource_id: caller.user_id,
    after: { email: caller.email, ...after },
  });

export const thisSignIn = (request: FastifyRequest): string => sha256(request.cookies[SIGN_IN_COOKIE] ?? "");

/**
 * Nothing made with a token changes how somebody gets in for good. Lock: the person's row first, as wherever their sign-ins
 * are written.
 */
export async function refuseBorrowed(db: Db, caller: Caller, request: FastifyRequest): Promise<void> {
  await db.selectFrom("users").select("id").where("id", "=", caller.user_id).forUpdate().execute();
  const own = await db
    .selectFrom("sign_ins")
    .select("id")
    .where("token_hash", "=", thisSignIn(request))
    .where("user_id", "=", caller.user_id)
    .where("bound_until", "is", null)
    .executeTakeFirst();
  if (caller.api_token_id !== null || !own)
    throw new Fault(
      "forbidden",
      "Sign in to the console with your password or a passkey to change your account.",
    );
}

export async function endSignIns(tx: Tx, user_id: number, which: number | { but: string }): Promise<number> {
  const all = tx.deleteFrom("sign_ins").where("user_id", "=", user_id);
  const ended =
    typeof which === "number" ? all.where("id", "=", which) : all.where("token_hash", "<>", which.but);
  return Number((await ended.executeTakeFirst()).numDeletedRows);
}
