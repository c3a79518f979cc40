import { createHmac } from "node:crypto";
import { z } from "zod";
import { equalInConstantTime } from "../base/crypto.ts";
import { tryParseJson } from "../base/parse-json.ts";
import { oneLine } from "./one-line.ts";

/**
 * Who a visitor of a web chat is, said by the site that shows the chat and signed with the key of the chat's target: a
 * JWT with HS256, which every language has a library for. Pure.
 */
type Identity = { user_id: string; name: string | null };
type ReadIdentity = { ok: true; identity: Identity } | { ok: false; problem: string };

/** A token is made when a page is shown; one that holds for longer would be worth stealing. */
const LONGEST_LIFE_S = 24 * 3600;
/** How far the site's clock may be ahead of ours. */
const CLOCK_SKEW_S = 60;

/** Only the one algorithm: a token that may choose its own could choose none. */
const Header = z.object({ alg: z.literal("HS256") });
const MOST_NAME = 200;
const Claims = z.object({
  sub: z.string().min(1).max(320),
  name: z.string().max(MOST_NAME).nullish(),
  exp: z.number(),
});
const NEEDED: Record<string, string> = {
  sub: "it needs a sub (the user id, 1 to 320 characters)",
  name: `its name has to be a text of at most ${MOST_NAME} characters, or be left out`,
  exp: "it needs an exp (seconds since 1970)",
};

export function readIdentityToken(token: string, key: string, now: Date): ReadIdentity {
  const [header = "", claims = "", signature = "", ...rest] = token.split(".");
  const expected = createHmac("sha256", key).update(`${header}.${claims}`).digest("base64url");
  if (rest.length > 0 || !equalInConstantTime(expected, signature)) {
    return refused("it is not signed with the key of this chat");
  }
  if (!Header.safeParse(decoded(header)).success) return refused("its alg has to be HS256");
  const read = Claims.safeParse(decoded(claims));
  if (!read.success) {
    const wrong = new Set(read.error.issues.flatMap(({ path: [claim] }) => NEEDED[String(claim)] ?? []));
    return refused([...wrong].join(", and ") || "its claims are not a JSON object");
  }
  const { sub, name, exp } = read.data;
  const now_s = now.getTime() / 1000;
  if (exp <= now_s) return refused("it has expired; reload the page to get a new one");
  if (exp > now_s + LONGEST_LIFE_S + CLOCK_SKEW_S) {
    return refused(`its exp is more than ${LONGEST_LIFE_S / 3600} hours ahead`);
  }
  if (sub !== oneLine(sub) || !sub.isWellFormed())
    return refused("its sub has to be one line of text without spaces at its ends");
  return { ok: true, identity: { user_id: sub, name: oneLine(name ?? "").toWellFormed() || null } };
}

const refused = (problem: string): ReadIdentity => ({ ok: false, problem });

const decoded = (part: string): unknown => tryParseJson(Buffer.from(part, "base64url"));
