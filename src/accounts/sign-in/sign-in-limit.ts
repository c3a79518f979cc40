import type { FastifyRequest } from "fastify";
import { limitedBy } from "../../api/client-address.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Db } from "../../db/database.ts";
import { type AttemptLimit, countAttempt, uncountAttempt } from "./attempt-count.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Wrong entries are counted, right ones are not. Others' entries don't keep a person out: a browser that has signed in
 * before has a count of its own, and every address has a first try at every account, however many were made elsewhere.
 */
const MOST = {
  /** From one address at one account within an hour. */
  pair: 10,
  /** The same, once `account` is used up. */
  pair_of_attacked: 1,
  /** At one account from everywhere within an hour, browsers that have signed in before left out. */
  account: 100,
  /** From one address at all accounts within five minutes. */
  address: 30,
  /** From all that stand behind a proxy nobody declared, within five minutes. */
  proxy: 300,
  /** From a browser that has signed in to this account before, within five minutes. */
  browser: 10,
};

export const BROWSER_COOKIE = "parley_browser";
export const BROWSER_LIFE_S = 180 * 86_400;
const PURPOSE = "browser";

/** `<nonce>.<signature over nonce and address>`: says that this browser has signed in to this account. */
export function browserCookie(vault: Vault, email: string): string {
  const nonce = randomBase62(20);
  return `${nonce}.${vault.sign(PURPOSE, `${nonce}.${email}`)}`;
}

function knownBrowser(vault: Vault, email: string, request: FastifyRequest): string | null {
  const [nonce = "", signature = ""] = (request.cookies[BROWSER_COOKIE] ?? "").split(".");
  return vault.verify(PURPOSE, `${nonce}.${email}`, signature) ? nonce : null;
}

type Entry = { request: FastifyRequest; email: string };

export function createSignInLimit({ db, clock, vault }: { db: Db; clock: Clock; vault: Vault }) {
  return {
    /**
     * Counts one entry; throws where there were too many. Resolves with what takes it back, for a right one, and with
     * whether the account is tried from everywhere.
     */
    async count({ request, email }: Entry): Promise<{ takeBack(): Promise<void>; isAttacked: boolean }> {
      const now = clock.now();
      const nonce = knownBrowser(vault, email, request);
      const allowances = nonce === null ? ofStranger(request, email) : ofBrowser(nonce);
      const counted = await countAttempt(db, now, allowances);
      const isAttacked = allowances.some(
        ({ key, most }) => key.startsWith("account ") && (counted.get(key)?.count ?? 0) > most,
      );
      for (const { key, most } of allowances) {
        // The account's own count keeps nobody out; it only shortens what each address may try.
        if (key.startsWith("account ")) continue;
        const limit = isAttacked && key.startsWith("pair ") ? MOST.pair_of_attacked : most;
        const { count, window_ends } = counted.get(key) ?? { count: 0, window_ends: now };
        if (count > limit) throw tooMany(window_ends.getTime() - now.getTime());
      }
      const keys = allowances.map(({ key }) => key);
      return { takeBack: () => uncountAttempt(db, keys), isAttacked };
    },
  };
}

const ofBrowser = (nonce: string): AttemptLimit[] => [
  { key: `browser ${nonce}`, most: MOST.browser, window_ms: 5 * MINUTE_MS },
];

function ofStranger(request: FastifyRequest, email: string): AttemptLimit[] {
  const { group, shared } = limitedBy(request);
  return [
    { key: `pair ${email} ${group}`, most: MOST.pair, window_ms: HOUR_MS },
    { key: `account ${email}`, most: MOST.account, window_ms: HOUR_MS },
    { key: `address ${group}`, most: MOST.address, window_ms: 5 * MINUTE_MS },
    ...(shared === null ? [] : [{ key: `proxy ${shared}`, most: MOST.proxy, window_ms: 5 * MINUTE_MS }]),
  ];
}

function tooMany(wait_ms: number): Fault {
  const retry_after_s = Math.max(1, Math.ceil(wait_ms / 1000));
  return new Fault(
    "too-many",
    `Too Many Requests: too many wrong entries from here. Try again in ${retry_after_s} s, use a browser that has signed in before, or ask an administrator for a sign-in link.`,
    { retry_after_s },
  );
}
