import fc from "fast-check";
import { expect, test } from "vitest";
import { CHANNEL_STATUSES, type ChannelStatus } from "./channel-status.ts";
import { leadsMessageFurther } from "./message-progress.ts";

/** What is told of one message, from its first word to its last. */
const LIVES = [
  ["PENDING", "ACCEPTED", "QUEUED", "SENDING", "SENT", "DELIVERED"],
  ["PENDING", "ACCEPTED", "QUEUED", "SENDING", "SENT", "UNDELIVERED"],
  ["PENDING", "QUEUED", "SENDING", "DELIVERY_FAILED"],
  ["PROCESSED", "DEFERRED", "DELIVERED", "BOUNCED"],
  ["PROCESSED", "DEFERRED", "DELIVERED", "OPENED", "CLICKED", "UNSUBSCRIBED", "SPAM_REPORT"],
  ["PROCESSED", "DROPPED"],
  ["PRIOR_UNSUBSCRIBED"],
] as const satisfies readonly (readonly ChannelStatus[])[];

test("reports in any order, left out or told twice, end with the last of them, and none goes back", () => {
  const told = fc.constantFrom(...LIVES).chain((life: readonly ChannelStatus[]) =>
    fc.record({
      life: fc.constant(life),
      reports: fc.array(fc.constantFrom(...life), { minLength: 1, maxLength: 12 }),
    }),
  );
  fc.assert(
    fc.property(told, ({ life, reports }) => {
      let known: ChannelStatus | null = null;
      for (const status of reports) {
        const next: ChannelStatus = leadsMessageFurther(known, status) ? status : (known ?? status);
        if (known !== null) expect(life.indexOf(next)).toBeGreaterThanOrEqual(life.indexOf(known));
        known = next;
      }
      expect(known).toBe(life.findLast((status) => reports.includes(status)));
    }),
  );
});

test("a word that is told twice is no news", () => {
  for (const status of CHANNEL_STATUSES) expect(leadsMessageFurther(status, status)).toBe(false);
});

test("of two ends of a text the first holds", () => {
  for (const end of ["DELIVERED", "UNDELIVERED", "DELIVERY_FAILED", "FAILED", "INVALID"] as const) {
    expect(leadsMessageFurther(end, "DELIVERED")).toBe(false);
    expect(leadsMessageFurther(end, "UNDELIVERED")).toBe(false);
    expect(leadsMessageFurther(end, "SENT")).toBe(false);
  }
});
