import type { BrowserContext } from "playwright-core";
import { SIGN_IN_COOKIE } from "../../src/accounts/sign-in/begin-sign-in.ts";
import type { Clock } from "../../src/base/clock.ts";
import { sha256 } from "../../src/base/crypto.ts";
import { randomBase62 } from "../../src/base/ids.ts";
import type { Db } from "../../src/db/database.ts";

const LIFE_MS = 12 * 3_600_000;

/** Signs somebody in without the page for it, which only so many may use in a minute. */
export async function signIn(
  context: BrowserContext,
  { db, clock, address, user_id }: { db: Db; clock: Clock; address: string; user_id: number },
): Promise<void> {
  const cookie = randomBase62(43);
  const now = clock.now();
  await db
    .insertInto("sign_ins")
    .values({
      token_hash: sha256(cookie),
      user_id,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + LIFE_MS).toISOString(),
    })
    .execute();
  await context.addCookies([
    { name: SIGN_IN_COOKIE, value: cookie, url: address, httpOnly: true, sameSite: "Strict" },
  ]);
}
