import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { type Allowance, addUsed, periodOf, untilNext_ms } from "./allowance.ts";
import { bounded, type OwnLimitsReader } from "./own-limits.ts";

const MINUTE_MS = 60_000;

export type VisitorAllowance = {
  /** Counts a new visitor of web chat; resolves with the headers that tell how many more may come. */
  admit(sub_organization_id: number): Promise<Record<string, number>>;
};

/** Counted in all processes together. One that has seen the minute full asks no database until the next. */
export function createVisitorAllowance(deps: {
  db: Db;
  clock: Clock;
  per_minute: number;
  own: OwnLimitsReader;
}): VisitorAllowance {
  const { db, clock, own } = deps;
  const full = new Map<number, number>();
  return {
    async admit(tenant) {
      const now = clock.now();
      const minute = periodOf(now, MINUTE_MS).getTime();
      const per_minute = bounded(deps.per_minute, (await own.of(tenant)).visitors_per_minute);
      const allowance = allowanceOf(per_minute, per_minute < deps.per_minute);
      const reset_s = Math.ceil(untilNext_ms(now, MINUTE_MS) / 1000);
      if (full.get(tenant) !== minute) {
        full.delete(tenant);
        const [used = 0] = await addUsed(db, tenant, [{ allowance, amount: 1 }], now);
        if (used <= per_minute)
          return {
            "ratelimit-limit": per_minute,
            "ratelimit-remaining": per_minute - used,
            "ratelimit-reset": reset_s,
          };
        full.set(tenant, minute);
      }
      throw new Fault(
        "too-many",
        `Many people are writing to us at the moment. Please try again in ${reset_s} s.`,
        { retry_after_s: reset_s },
      );
    },
  };
}

const allowanceOf = (per_minute: number, isOwn: boolean): Allowance => ({
  name: "visitors",
  most: per_minute,
  period_ms: MINUTE_MS,
  description: `The limit of ${per_minute} new web chats in a minute is reached; more visitors are asked to come again in a minute. ${isOwn ? "An administrator can raise it (Settings, Organization, Limits)." : "The operator can raise it (VISITORS_PER_MINUTE)."}`,
});
