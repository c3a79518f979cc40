import type { FastifyReply } from "fastify";
import { Fault } from "../base/errors.ts";
import type { Caller } from "./caller.ts";

/** Calls of a minute, counted by each process for itself: they guard its time, and no bill. */
export type CallLimits = {
  /** Of one API token, or of one person who is signed in. */
  per_token: number;
  /** Of one sub-organization, whoever calls. */
  per_tenant: number;
  /** Of these, those that create or change something. */
  changes_per_tenant: number;
};

const MINUTE_MS = 60_000;

type Count = { limit: number; used: number; what: string };

/** `own`: the organization's own limit of calls with tokens; null: none. */
type Call = { caller: Caller; is_change: boolean; own: number | null };

type CallCounter = {
  /** Counts one call, says in headers how many are left of the scarcest count, and refuses what is beyond it. */
  count(call: Call, reply: FastifyReply): void;
  /** Calls with tokens of a sub-organization in the minute that runs. */
  withTokens(sub_organization_id: number): number;
};

export function createCallCounter(
  limits: CallLimits,
  now_ms: () => number = () => performance.now(),
): CallCounter {
  let counts = new Map<string, Count>();
  let ends_ms = now_ms() + MINUTE_MS;

  const countOf = (key: string, limit: number, what: string): Count => {
    const known = { limit, used: counts.get(key)?.used ?? 0, what };
    counts.set(key, known);
    return known;
  };

  const beginMinute = (now: number): void => {
    if (now < ends_ms) return;
    counts = new Map();
    ends_ms = now + MINUTE_MS;
  };

  const count: CallCounter["count"] = ({ caller, is_change, own: own_limit }, reply) => {
    const now = now_ms();
    beginMinute(now);
    const reset_s = Math.ceil((ends_ms - now) / 1000);
    const { api_token_id, user_id, sub_organization_id: tenant } = caller;
    const own = api_token_id === null ? `user ${user_id}` : `token ${api_token_id}`;
    const counted = [
      countOf(
        own,
        limits.per_token,
        api_token_id === null ? "calls of your sign-in" : "calls of this API token",
      ),
      countOf(`tenant ${tenant}`, limits.per_tenant, "calls of your organization"),
      ...(api_token_id === null
        ? []
        : [
            countOf(
              `tokens ${tenant}`,
              Math.min(limits.per_tenant, own_limit ?? limits.per_tenant),
              "calls with API tokens that your organization allows itself (Settings, Organization, Limits)",
            ),
          ]),
      ...(is_change
        ? [countOf(`changes ${tenant}`, limits.changes_per_tenant, "changes by your organization")]
        : []),
    ];
    const full = counted.find(({ used, limit }) => used >= limit);
    if (!full) for (const count of counted) count.used += 1;
    const scarcest = full ?? counted.toSorted((a, b) => a.limit - a.used - (b.limit - b.used))[0];
    if (scarcest)
      reply.headers({
        "ratelimit-limit": scarcest.limit,
        "ratelimit-remaining": scarcest.limit - scarcest.used,
        "ratelimit-reset": reset_s,
      });
    if (full)
      throw new Fault(
        "too-many",
        `The limit of ${full.limit} ${full.what} in a minute is reached. Try again in ${reset_s} s.`,
        { retry_after_s: reset_s },
      );
  };

  return {
    count,
    withTokens(tenant) {
      beginMinute(now_ms());
      return counts.get(`tokens ${tenant}`)?.used ?? 0;
    },
  };
}
