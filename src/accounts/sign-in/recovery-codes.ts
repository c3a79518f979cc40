import { randomBytes } from "node:crypto";
import { sha256 } from "../../base/crypto.ts";
import type { Db, Tx } from "../../db/database.ts";
import { base32 } from "./totp.ts";

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** Shown this once, in groups of four; stored as digests. Earlier ones stop working. */
export async function newRecoveryCodes(tx: Tx, user_id: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(RECOVERY_BYTES)));
  await tx.deleteFrom("recovery_codes").where("user_id", "=", user_id).execute();
  await tx
    .insertInto("recovery_codes")
    .values(codes.map((one) => ({ user_id, code_hash: sha256(one) })))
    .execute();
  return codes.map((one) => one.replaceAll(/(.{4})(?=.)/g, "$1-"));
}

/** Whether it was one that was not used yet; it is now. `code` has no dashes and capital letters. */
export async function spendRecoveryCode(tx: Tx, now: Date, user_id: number, code: string): Promise<boolean> {
  const spent = await tx
    .updateTable("recovery_codes")
    .set({ used_at: now.toISOString() })
    .where("user_id", "=", user_id)
    .where("code_hash", "=", sha256(code))
    .where("used_at", "is", null)
    .executeTakeFirst();
  return spent.numUpdatedRows > 0n;
}

export async function recoveryCodesLeft(db: Db, user_id: number): Promise<number> {
  const left = await db
    .selectFrom("recovery_codes")
    .select((one) => one.fn.countAll<string>().as("count"))
    .where("user_id", "=", user_id)
    .where("used_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(left.count);
}
