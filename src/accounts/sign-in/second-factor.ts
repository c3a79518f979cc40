import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import { countAttempt, uncountAttempt } from "./attempt-count.ts";
import { newRecoveryCodes, spendRecoveryCode } from "./recovery-codes.ts";
import { base32, otpAuthAddress, stepOfCode } from "./totp.ts";

const KEY_BYTES = 20;
const HOUR_MS = 3_600_000;
/**
 * Wrong codes for one person within an hour, from everywhere: a code is one of a million, and whoever tries them has the
 * password or a link already.
 */
const MOST_WRONG = 10;

type Deps = { db: Db; clock: Clock; vault: Vault };

/** What a code was: the app's, a recovery code, none that counts, or not asked for because there is no second factor. */
export type CodeVerdict = "no-factor" | "app" | "recovery" | "wrong";

export type Factors = { has_app: boolean; passkeys: number };

/** A passkey that was locked counts: without another factor its person is not let in by the password alone. */
export async function factorsOf(db: Db, user_id: number): Promise<Factors> {
  const { rows } = await sql<Factors>`
    select exists (select from second_factors where user_id = ${user_id} and confirmed_at is not null) as has_app,
      (select count(*)::int from passkeys where user_id = ${user_id}) as passkeys`.execute(db);
  return rows[0] ?? { has_app: false, passkeys: 0 };
}

export async function hasSecondFactor(db: Db, user_id: number): Promise<boolean> {
  const { has_app, passkeys } = await factorsOf(db, user_id);
  return has_app || passkeys > 0;
}

/** Counts a try before it is made; throws where there were too many. Resolves with what takes it back, for a right one. */
export async function countFactorTry({ db, clock }: Deps, user_id: number): Promise<() => Promise<void>> {
  const key = `second factor ${user_id}`;
  const now = clock.now();
  const counted = await countAttempt(db, now, [{ key, most: MOST_WRONG, window_ms: HOUR_MS }]);
  const { count, window_ends } = counted.get(key) ?? { count: 0, window_ends: now };
  if (count > MOST_WRONG) {
    const retry_after_s = Math.max(1, Math.ceil((window_ends.getTime() - now.getTime()) / 1000));
    throw new Fault("too-many", `Too Many Requests: too many wrong codes. Try again in ${retry_after_s} s.`, {
      retry_after_s,
    });
  }
  return () => uncountAttempt(db, [key]);
}

/** Spends the code, together with what it is given for: the same one is refused afterwards. */
export async function spendFactor(
  tx: Tx,
  { clock, vault }: Pick<Deps, "clock" | "vault">,
  user_id: number,
  given: string,
): Promise<CodeVerdict> {
  if (!(await hasSecondFactor(tx, user_id))) return "no-factor";
  const code = given.replaceAll(/[\s-]/g, "").toUpperCase();
  return (
    (await spendAppCode(tx, { clock, vault }, user_id, code)) ??
    ((await spendRecoveryCode(tx, clock.now(), user_id, code)) ? "recovery" : "wrong")
  );
}

/** Null: it is no code that the app shows around now. */
async function spendAppCode(
  tx: Tx,
  { clock, vault }: Pick<Deps, "clock" | "vault">,
  user_id: number,
  code: string,
): Promise<"app" | "wrong" | null> {
  const factor = await tx
    .selectFrom("second_factors")
    .select(["sealed_key", "last_step"])
    .where("user_id", "=", user_id)
    .where("confirmed_at", "is not", null)
    .forUpdate()
    .executeTakeFirst();
  if (!factor) return null;
  const step = stepOfCode(Buffer.from(vault.open(factor.sealed_key), "base64"), clock.now(), code);
  if (step === null) return null;
  if (factor.last_step !== null && step <= Number(factor.last_step)) return "wrong";
  await tx.updateTable("second_factors").set({ last_step: step }).where("user_id", "=", user_id).execute();
  return "app";
}

/** A new key that counts once it is confirmed. Until then an earlier unconfirmed one is replaced. */
export async function beginSecondFactor(
  tx: Tx,
  { clock, vault }: Pick<Deps, "clock" | "vault">,
  { id, email }: { id: number; email: string },
): Promise<{ key: string; address: string }> {
  const key = randomBytes(KEY_BYTES);
  const row = { sealed_key: vault.seal(key.toString("base64")), created_at: clock.now().toISOString() };
  const begun = await tx
    .insertInto("second_factors")
    .values({ user_id: id, ...row })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet(row).where("second_factors.confirmed_at", "is", null),
    )
    .executeTakeFirst();
  if (!begun.numInsertedOrUpdatedRows)
    throw new Fault("refused", "You have a second factor. Remove it before you set up another one.");
  return { key: base32(key), address: otpAuthAddress(key, email) };
}

/** The recovery codes, shown this once; null: the code was wrong. */
export async function confirmSecondFactor(
  tx: Tx,
  { clock, vault }: Pick<Deps, "clock" | "vault">,
  user_id: number,
  code: string,
): Promise<string[] | null> {
  const begun = await tx
    .selectFrom("second_factors")
    .select("sealed_key")
    .where("user_id", "=", user_id)
    .where("confirmed_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (!begun) throw new Fault("refused", "Nothing is to be confirmed. Begin with a new key.");
  const key = Buffer.from(vault.open(begun.sealed_key), "base64");
  const last_step = stepOfCode(key, clock.now(), code.replaceAll(/\s/g, ""));
  if (last_step === null) return null;
  await tx
    .updateTable("second_factors")
    .set({ confirmed_at: clock.now().toISOString(), last_step })
    .where("user_id", "=", user_id)
    .execute();
  return newRecoveryCodes(tx, user_id);
}

/** The app alone: passkeys stay, and with them the recovery codes. Whether there was one. */
export async function removeApp(tx: Tx, user_id: number): Promise<boolean> {
  const removed = await tx
    .deleteFrom("second_factors")
    .where("user_id", "=", user_id)
    .returning("confirmed_at")
    .execute();
  await forgetUselessCodes(tx, user_id);
  return removed.some(({ confirmed_at }) => confirmed_at !== null);
}

export async function forgetUnconfirmedApp(tx: Tx, user_id: number): Promise<void> {
  await tx
    .deleteFrom("second_factors")
    .where("user_id", "=", user_id)
    .where("confirmed_at", "is", null)
    .execute();
}

/** Where no factor is left, recovery codes stand in for none. */
export async function forgetUselessCodes(tx: Tx, user_id: number): Promise<void> {
  if (!(await hasSecondFactor(tx, user_id)))
    await tx.deleteFrom("recovery_codes").where("user_id", "=", user_id).execute();
}

/** All of them, passkeys too. Whether there was one. */
export async function removeSecondFactor(tx: Tx, userIds: number[]): Promise<boolean> {
  await tx.deleteFrom("recovery_codes").where("user_id", "in", userIds).execute();
  const removed = await tx
    .deleteFrom("second_factors")
    .where("user_id", "in", userIds)
    .returning("confirmed_at")
    .execute();
  const keys = await tx.deleteFrom("passkeys").where("user_id", "in", userIds).returning("id").execute();
  return keys.length > 0 || removed.some(({ confirmed_at }) => confirmed_at !== null);
}
