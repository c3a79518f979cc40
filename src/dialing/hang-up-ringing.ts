import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Outreach, Senders } from "../channels/outreach.ts";
import type { Db, Tx } from "../db/database.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { findOutreach } from "./attempts.ts";
import { RINGS } from "./stop.ts";

type HangUp = { organization_id: number; round: number };

const hangUpJob: Job<HangUp> = {
  name: "hang-up-ringing-calls",
  payload: z.object({ organization_id: z.int(), round: z.int() }),
  max_attempts: 10,
};

/** Carriers are asked to end so many calls at once. */
const AT_ONCE = 20;
/** A call that was being handed over at the stop, or that its carrier could not be asked about, is looked at again. */
const AGAIN_ms = [250, 500, 1_000, 2_000, 5_000, 15_000, 60_000];

/** In the transaction of the stop. */
export const enqueueHangUp = (tx: Tx, organization_id: number): Promise<void> =>
  enqueueRound(tx, { organization_id, round: 0 });

const enqueueRound = (tx: Tx, payload: HangUp, run_at?: Date): Promise<void> =>
  enqueue(tx, hangUpJob, payload, {
    key: `hang-up-ringing-${payload.organization_id}`,
    ...(run_at && { run_at }),
  });

type Parts = { db: Db; clock: Clock; log: Log; senders: Senders };

/** Hangs up the calls of a stopped organization that still ring, until none is left. */
export const hangUpRingingHandler = (parts: Parts): JobHandler =>
  handle(hangUpJob, async ({ organization_id, round }) => {
    if (!(await hangUpRinging(parts, organization_id))) return;
    const wait_ms = AGAIN_ms[Math.min(round, AGAIN_ms.length - 1)] as number;
    const run_at = new Date(parts.clock.now().getTime() + wait_ms);
    await parts.db
      .transaction()
      .execute((tx) => enqueueRound(tx, { organization_id, round: round + 1 }, run_at));
  });

type Ringing = { key: string; sid: string | null };

/** True where calls are left that may ring: not yet known to the carrier, or it could not be asked. Safe to run twice. */
export async function hangUpRinging(
  { db, clock, log, senders }: Parts,
  organization_id: number,
): Promise<boolean> {
  const ringing = await markRinging(db, organization_id, clock.now());
  let isLeft = ringing.some(({ sid }) => sid === null);
  const placed = ringing.filter((call): call is Ringing & { sid: string } => call.sid !== null);
  const next = placed.values();
  const work = async (): Promise<void> => {
    for (const { key, sid } of next) {
      try {
        const outreach = await findOutreach(db, key);
        if (outreach) await senders[outreach.mode satisfies Outreach["mode"]].cancel(outreach, sid);
      } catch (error) {
        isLeft = true;
        log.warn({ key, error: errorText(error) }, "a ringing call could not be hung up");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, placed.length) }, work));
  return isLeft;
}

/** Their attempts say first that they are hung up, so that the carrier's answer is understood as that. */
async function markRinging(db: Db, organization_id: number, at: Date): Promise<Ringing[]> {
  const { rows } = await sql<Ringing>`
    update attempts a set hang_up_at = coalesce(a.hang_up_at, ${at.toISOString()}::timestamptz)
    where a.key in (
      select a.key from attempts a join organizations o on o.id = a.organization_id
      where a.organization_id = ${organization_id} and o.outreach_stopped_at is not null and ${RINGS}
      order by a.key for update of a
    )
    returning a.key, a.sid`.execute(db);
  return rows;
}
