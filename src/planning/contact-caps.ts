import type { ContactChannel } from "./contact-hours.ts";

/** At most `attempts` to one address in any stretch of `days` times 24 hours, over all campaigns of an organization. */
export type ContactCap = { channel: ContactChannel | "any"; attempts: number; days: number };

export type ContactCaps = {
  caps: ContactCap[];
  /** After a conversation nobody is contacted again for so many times 24 hours; null: no rest. */
  days_after_conversation: number | null;
};

/** An attempt to an address. `talked_until`: when the conversation that came of it ended; null: none did. */
export type PastContact = { channel: ContactChannel; at: Date; talked_until: Date | null };

export type CapHold =
  | { reason: "contact-cap"; until: Date; cap: ContactCap }
  | { reason: "after-conversation"; until: Date; days: number };

const DAY_ms = 86_400_000;

/** How far back attempts matter. */
export const longestCap_ms = ({ caps, days_after_conversation }: ContactCaps): number =>
  Math.max(days_after_conversation ?? 0, ...caps.map(({ days }) => days)) * DAY_ms;

/** The bound that lasts longest; null: the address may be tried now. `past` in any order. Pure. */
export function capHold(
  { caps, days_after_conversation }: ContactCaps,
  channel: ContactChannel,
  past: readonly PastContact[],
  now: Date,
): CapHold | null {
  const holds: CapHold[] = caps.flatMap((cap) => {
    if (cap.channel !== "any" && cap.channel !== channel) return [];
    const times = past
      .filter((contact) => cap.channel === "any" || contact.channel === cap.channel)
      .map(({ at }) => at.getTime())
      .toSorted((a, b) => b - a);
    const first = times[cap.attempts - 1];
    return first === undefined
      ? []
      : [{ reason: "contact-cap", until: new Date(first + cap.days * DAY_ms), cap }];
  });
  if (days_after_conversation !== null)
    for (const { talked_until } of past)
      if (talked_until !== null)
        holds.push({
          reason: "after-conversation",
          until: new Date(talked_until.getTime() + days_after_conversation * DAY_ms),
          days: days_after_conversation,
        });
  return holds
    .filter(({ until }) => until > now)
    .reduce<CapHold | null>((last, hold) => (last === null || hold.until > last.until ? hold : last), null);
}
