import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { sha256, type Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import { countAttempt, uncountAttempt } from "./attempt-count.ts";
import { base32, otpAuthAddress, stepOfCode } from "./totp.ts";

const KEY_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
const HOUR_MS = 3_600_000;
/**
 * Wrong codes for one person within an hour, from everywhere: a code is one of a million, and whoever tries them has the
 * password or a link already.
 */
const MOST_WRONG = 10;

type Deps = { db: Db; clock: Clock; vault: Vault };

/** What a code was: the app's, a recovery code, none that counts, or not asked for because there is no second factor. */
export type FactorVerdict = "no-factor" | "app" | "recovery" | "wrong";

export async function hasSecondFactor(db: Db, user_id: number): Promise<boolean> {
  const found = await db
    .selectFrom("second_factors")
    .select("user_id")
    .where("user_id", "=", user_id)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return found !== undefined;
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
): Promise<FactorVerdict> {
  const factor = await tx
    .selectFrom("second_factors")
    .select(["sealed_key", "last_step"])
    .where("user_id", "=", user_id)
    .where("confirmed_at", "is not", null)
    .forUpdate()
    .executeTakeFirst();
  if (!factor) return "no-factor";
  const code = given.replaceAll(/[\s-]/g, "").toUpperCase();
  const step = stepOfCode(Buffer.from(vault.open(factor.sealed_key), "base64"), clock.now(), code);
  if (step !== null) {
    if (factor.last_step !== null && step <= Number(factor.last_step)) return "wrong";
    await tx.updateTable("second_factors").set({ last_step: step }).where("user_id", "=", user_id).execute();
    return "app";
  }
  const spent = await tx
    .updateTable("recovery_codes")
    .set({ used_at: clock.now().toISOString() })
    .where("user_id", "=", user_id)
    .where("code_hash", "=", sha256(code))
    .where("used_at", "is", null)
    .executeTakeFirst();
  return spent.numUpdatedRows > 0n ? "recovery" : "wrong";
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
  const codes = Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(RECOVERY_BYTES)));
  await tx.deleteFrom("recovery_codes").where("user_id", "=", user_id).execute();
  await tx
    .insertInto("recovery_codes")
    .values(codes.map((one) => ({ user_id, code_hash: sha256(one) })))
    .execute();
  return codes.map((one) => one.replaceAll(/(.{4})(?=.)/g, "$1-"));
}

/** Whether there was one. */
export async function removeSecondFactor(tx: Tx, userIds: number[]): Promise<boolean> {
  await tx.deleteFrom("recovery_codes").where("user_id", "in", userIds).execute();
  const removed = await tx
    .deleteFrom("second_factors")
    .where("user_id", "in", userIds)
    .returning("confirmed_at")
    .execute();
  return removed.some(({ confirmed_at }) => confirmed_at !== null);
}
