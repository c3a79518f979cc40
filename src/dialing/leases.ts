import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { Leases } from "../jobs/lease.ts";
import { LEASE_ms, RENEW_ms } from "../planning/attempt.ts";
import { FIRST_PHASE } from "../planning/attempt-state.ts";

type Parts = { db: Db; clock: Clock; log: Log; owner: string; beforeRound?(): void | Promise<void> };

/**
 * Extends the leases of attempts that this process is about to hand over or is handing over. It hands an attempt over only
 * within `HAND_OVER_ms` of the last extension; others take it over after `LEASE_ms`. A lease of a stopped organization is
 * not extended, so an attempt whose first words are still being written is not sent either. By primary keys, and locked in
 * their order, in which settlements lock them: in another order the two would wait for each other until PostgreSQL, after
 * a second, ended one of them.
 */
export const attemptLeases = ({ db, clock, log, owner, beforeRound }: Parts): Leases<string> =>
  new Leases(
    {
      of: "attempts",
      lease_ms: LEASE_ms,
      renew_ms: RENEW_ms,
      ...(beforeRound && { beforeRound }),
      async extend(keys, end) {
        const { rows } = await sql<{ key: string }>`
          with held as materialized (
            select a.key from attempts a
            where a.key = any(${keys}::text[]) and a.state = ${FIRST_PHASE} and a.lease_owner = ${owner}
              and not exists (
                select from organizations o
                where o.id = a.organization_id and o.outreach_stopped_at is not null)
            order by a.key for no key update of a
          )
          update attempts a set check_at = ${end.toISOString()}::timestamptz
          from held where a.key = held.key
          returning a.key`.execute(db);
        return rows.map(({ key }) => key);
      },
    },
    { clock, log },
  );
