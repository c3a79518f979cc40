import { sql } from "kysely";
import { sha256, type Vault } from "../../base/crypto.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Tx } from "../../db/database.ts";

const LIFE_MS = 5 * 60_000;
const PURPOSE = "passkey-challenge";
/** Forgotten in passing, a few at a time. */
const FORGOTTEN_AT_ONCE = 50;

/** What a challenge may be answered for; a person's own is of no use to anybody else. */
export type ChallengeUse =
  | { use: "sign-in"; user_id: null }
  | { use: "register" | "factor"; user_id: number };

/**
 * `<nonce>.<end>.<signature>` in base64url. It proves itself, so none is stored for strangers who ask for thousands; only
 * those that were answered are, which keeps them from being answered twice.
 */
export function newChallenge(vault: Vault, now: Date, use: ChallengeUse): string {
  const claim = `${randomBase62(22)}.${now.getTime() + LIFE_MS}`;
  return Buffer.from(`${claim}.${vault.sign(PURPOSE, signed(use, claim))}`).toString("base64url");
}

export function isOwnChallenge(vault: Vault, now: Date, use: ChallengeUse, challenge: string): boolean {
  const [nonce = "", end = "", signature = ""] = Buffer.from(challenge, "base64url").toString().split(".");
  return vault.verify(PURPOSE, signed(use, `${nonce}.${end}`), signature) && Number(end) > now.getTime();
}

const signed = ({ use, user_id }: ChallengeUse, claim: string): string => `${use} ${user_id ?? ""} ${claim}`;

/** False: it was answered before. Of two that answer it at once, the second waits for the first. */
export async function spendChallenge(tx: Tx, now: Date, challenge: string): Promise<boolean> {
  const at = now.toISOString();
  await sql`delete from spent_challenges where challenge_hash in (
    select challenge_hash from spent_challenges where expires_at <= ${at} order by expires_at limit ${FORGOTTEN_AT_ONCE}::bigint
    for update skip locked)`.execute(tx);
  const spent = await tx
    .insertInto("spent_challenges")
    .values({
      challenge_hash: sha256(challenge),
      expires_at: new Date(now.getTime() + LIFE_MS).toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (spent.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
