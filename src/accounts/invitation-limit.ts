import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { countAttempt } from "./sign-in/attempt-count.ts";

const DAY_MS = 86_400_000;
/** To one address within a day, by one organization: somebody who lost two mails gets a third. */
const TO_ONE_ADDRESS = 3;
/** To one address by all organizations together: more, so that one can't use up what others may send. */
const TO_ONE_ADDRESS_BY_ALL = 10;
/** By one organization within a day: a clinic that brings all its people in on one morning. */
const BY_ONE_ORGANIZATION = 200;

/** Counts one more invitation; the Fault to answer with where there were too many. */
export async function countInvitation(
  db: Db,
  clock: Clock,
  { organization_id }: Caller,
  email: string,
): Promise<Fault | null> {
  const now = clock.now();
  const to = email.toLowerCase();
  // One after the other: what one limit stops is not counted against the address.
  for (const { key, most, whose } of [
    { key: `by ${organization_id}`, most: BY_ONE_ORGANIZATION, whose: "from this organization" },
    { key: `by ${organization_id} to ${to}`, most: TO_ONE_ADDRESS, whose: "to this address" },
    { key: `to ${to}`, most: TO_ONE_ADDRESS_BY_ALL, whose: "to this address" },
  ]) {
    const allowance = { key: `invitation ${key}`, most, window_ms: DAY_MS };
    const counted = (await countAttempt(db, now, [allowance])).get(allowance.key);
    if (!counted || counted.count <= most) continue;
    const retry_after_s = Math.max(1, Math.ceil((counted.window_ends.getTime() - now.getTime()) / 1000));
    return new Fault(
      "too-many",
      `Too Many Requests: ${most} invitations went ${whose} within a day. Try again in ${retry_after_s} s, or hand a link of sign_in_link over.`,
      { retry_after_s },
    );
  }
  return null;
}
