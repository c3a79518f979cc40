import { SIGN_IN_COOKIE } from "../../src/accounts/sign-in/begin-sign-in.ts";
import type { Caller } from "../../src/api/caller.ts";
import { sha256 } from "../../src/base/crypto.ts";
import { randomBase62 } from "../../src/base/ids.ts";
import type { Send, TestApp } from "./app.ts";

/** Requests of a person who has signed in with a password: nothing that they make ends by itself. */
export async function signedInSend(app: TestApp, { user_id }: Caller): Promise<Send> {
  const cookie = randomBase62(43);
  const now = app.clock.now();
  const row = {
    token_hash: sha256(cookie),
    user_id,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + 12 * 3_600_000).toISOString(),
  };
  await app.db.insertInto("sign_ins").values(row).execute();
  return sendWithCookie(app, `${SIGN_IN_COOKIE}=${cookie}`);
}

const sendWithCookie =
  (app: TestApp, cookie: string): Send =>
  (method, url, body, headers = {}) =>
    app.sendAs(null)(method, url, body, { cookie, ...headers });
