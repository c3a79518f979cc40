import { z } from "zod";
import type { CarrierSignal } from "../channels/carrier.ts";
import { ChannelManagerStatus, isCallOver } from "../channels/channel-status.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { Engine } from "../sessions/engine.ts";

/*
 * The carrier's word that a call is over may come before its first callback, which opens a session that then nobody is in.
 * So the end of an unknown call is applied again soon after, in case the call has begun meanwhile.
 */
const EarlyEnd = z.object({
  sid: z.string(),
  channel_id: z.int().nullable(),
  status: ChannelManagerStatus,
  /** How often the call was looked for. */
  tries: z.int(),
});
type EarlyEnd = z.infer<typeof EarlyEnd>;

export type EndedByCarrier = {
  /** Takes the carrier's word that a call is over. False: no such call was answered yet. */
  carrierEnded(over: Pick<CarrierSignal, "sid" | "status">, channel_id: number | null): Promise<boolean>;
};

const endEarly: Job<EarlyEnd> = { name: "end-early-call", payload: EarlyEnd, max_attempts: 5 };

/** Carriers wait 15 s for the answer to a first callback, and may then ask once more. */
const WAITS_MS = [1_000, 5_000, 15_000, 30_000];

/** A call of ours that nobody answered has no session, and never gets one. */
export const mayComeEarly = ({ key, status }: CarrierSignal): boolean =>
  isCallOver(status) && (key === null || status === "COMPLETED");

export async function queueEarlyEnd(
  { db, clock }: Pick<Engine, "db" | "clock">,
  { sid, channel_id, status, tries = 0 }: Omit<EarlyEnd, "tries"> & { tries?: number },
): Promise<void> {
  const wait_ms = WAITS_MS[tries];
  if (wait_ms === undefined) return;
  const run_at = new Date(clock.now().getTime() + wait_ms);
  await db
    .transaction()
    .execute((tx) => enqueue(tx, endEarly, { sid, channel_id, status, tries: tries + 1 }, { run_at }));
}

export const earlyEndJob = (engine: Pick<Engine, "db" | "clock">, calls: EndedByCarrier): JobHandler =>
  handle(endEarly, async (early) => {
    if (!(await calls.carrierEnded(early, early.channel_id))) await queueEarlyEnd(engine, early);
  });
