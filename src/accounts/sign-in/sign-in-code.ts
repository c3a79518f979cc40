import type { Bound } from "../../api/caller.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256, type Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Db, Tx } from "../../db/database.ts";
import { boundColumns, notAfter } from "../bound.ts";
import { ADMIN } from "../permission.ts";

const CODE_LIFE_MS = 24 * 3_600_000;

/** What a link carries that signs its bearer in once; an earlier one stops working. */
export async function createSignInCode(
  tx: Tx,
  clock: Clock,
  userId: number,
  bound: Bound | null = null,
): Promise<string> {
  await tx
    .deleteFrom("one_time_codes")
    .where("user_id", "=", userId)
    .where("purpose", "=", "sign-in")
    .execute();
  const code = randomBase62(40);
  await tx
    .insertInto("one_time_codes")
    .values({
      code_hash: sha256(code),
      user_id: userId,
      purpose: "sign-in",
      expires_at: codeExpiry(clock, bound),
      ...boundColumns(bound),
    })
    .execute();
  return code;
}

type SignInLink = { sign_in_link: string; expires_at: string };

export async function createSignInLink(
  tx: Tx,
  { clock, publicUrl }: { clock: Clock; publicUrl: string },
  userId: number,
  bound: Bound | null = null,
): Promise<SignInLink> {
  const code = await createSignInCode(tx, clock, userId, bound);
  return { sign_in_link: `${publicUrl}/sign-in?code=${code}`, expires_at: codeExpiry(clock, bound) };
}

const codeExpiry = (clock: Clock, bound: Bound | null): string =>
  notAfter(bound, new Date(clock.now().getTime() + CODE_LIFE_MS)).toISOString();

/**
 * The way back for whoever holds the installation's secret key, which opens everything anyway: a code that nobody stored,
 * good for ten minutes and once, that signs the first administrator in.
 */
const RECOVERY_PREFIX = "recovery-";
const RECOVERY_LIFE_MS = 10 * 60_000;
const RECOVERY = "sign-in-recovery";

export function recoveryCode(vault: Vault, now: Date): string {
  const claim = `${now.getTime() + RECOVERY_LIFE_MS}.${randomBase62(12)}`;
  return `${RECOVERY_PREFIX}${claim}.${vault.sign(RECOVERY, claim)}`;
}

export const isRecovery = (code: string): boolean => code.startsWith(RECOVERY_PREFIX);

function isRecoveryCode(vault: Vault, now: Date, code: string): boolean {
  const [expires = "", nonce = "", signature = ""] = code.slice(RECOVERY_PREFIX.length).split(".");
  return vault.verify(RECOVERY, `${expires}.${nonce}`, signature) && Number(expires) > now.getTime();
}

async function spendRecoveryCode(tx: Tx, vault: Vault, now: string, code: string): Promise<Spent | null> {
  if (!isRecoveryCode(vault, new Date(now), code)) return null;
  const user_id = await holdFirstAdministrator(tx);
  if (user_id === null) return null;
  const spent = await tx
    .insertInto("one_time_codes")
    .values({
      code_hash: sha256(code),
      user_id,
      purpose: RECOVERY,
      expires_at: now,
      used_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return spent.numInsertedOrUpdatedRows ? { user_id, bound: null } : null;
}

/** Looked for again once the row is held: whoever changed their role meanwhile made somebody else the first. */
async function holdFirstAdministrator(tx: Tx): Promise<number | null> {
  let held: number | null = null;
  for (;;) {
    const first = await tx
      .selectFrom("users as u")
      .innerJoin("roles as r", "r.id", "u.role_id")
      .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
      .innerJoin("organizations as g", "g.id", "s.organization_id")
      .select("u.id")
      .where("u.deleted_at", "is", null)
      .where("g.deleted_at", "is", null)
      .where("r.name", "=", ADMIN)
      .orderBy("s.organization_id")
      .orderBy("u.id")
      .limit(1)
      .executeTakeFirst();
    if (!first || first.id === held) return first?.id ?? null;
    await tx.selectFrom("users").select("id").where("id", "=", first.id).forUpdate().execute();
    held = first.id;
  }
}

/** Whether it would be taken at this moment; looks only. */
export async function isGoodCode(db: Db, clock: Clock, vault: Vault, code: string): Promise<boolean> {
  if (isRecovery(code)) return isRecoveryCode(vault, clock.now(), code);
  const found = await db
    .selectFrom("one_time_codes")
    .select("user_id")
    .where("code_hash", "=", sha256(code))
    .where("used_at", "is", null)
    .where("expires_at", ">", clock.now().toISOString())
    .executeTakeFirst();
  return found !== undefined;
}

type Spent = { user_id: number; bound: Bound | null; is_reset?: boolean };

/**
 * Whose code it was; null when it is none, was spent or is too old. Spent together with what it is used for, or not at
 * all. Lock: the person's row first.
 */
export async function spendCode(tx: Tx, clock: Clock, vault: Vault, code: string): Promise<Spent | null> {
  const now = clock.now().toISOString();
  if (isRecovery(code)) return spendRecoveryCode(tx, vault, now, code);
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
    .updateTable("one_time_codes as c")
    .from("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .innerJoin("organizations as g", "g.id", "s.organization_id")
    .set({ used_at: now })
    .whereRef("u.id", "=", "c.user_id")
    .where("u.deleted_at", "is", null)
    .where("g.deleted_at", "is", null)
    .where("c.code_hash", "=", code_hash)
    .where("c.used_at", "is", null)
    .where("c.expires_at", ">", now)
    .returning(["c.user_id", "c.bound_until", "c.bound_token_id", "c.bound_permissions", "c.purpose"])
    .executeTakeFirst();
  if (!spent) return null;
  const { user_id, purpose, bound_until, bound_token_id, bound_permissions } = spent;
  const bound =
    bound_until === null
      ? null
      : { until: new Date(bound_until), token_id: bound_token_id, permissions: bound_permissions };
  return { user_id, bound, is_reset: purpose === "password-reset" };
}

/**
 * Whoever was signed in with the old password is not any more. A password outlives what it was set with: with a link of a
 * token, only people may set one whose whole access ends with that token, too.
 */
export async function setPassword(tx: Tx, { user_id, bound }: Spent, password_hash: string): Promise<void> {
  if (bound !== null) {
    const { granted_until, lasting_role_id } = await tx
      .selectFrom("users")
      .select(["granted_until", "lasting_role_id"])
      .where("id", "=", user_id)
      .executeTakeFirstOrThrow();
    const endsToo = granted_until !== null && new Date(granted_until) <= bound.until;
    if (!endsToo || lasting_role_id !== null)
      throw new Fault(
        "forbidden",
        "This link was made with an API token and can't set a password. Sign in without one, or ask an administrator for a link made in the console.",
      );
  }
  await tx.updateTable("users").set({ password_hash }).where("id", "=", user_id).execute();
  await tx.deleteFrom("sign_ins").where("user_id", "=", user_id).execute();
  // A link that was made for the old password would set another one.
  await tx.deleteFrom("one_time_codes").where("user_id", "=", user_id).where("used_at", "is", null).execute();
}
