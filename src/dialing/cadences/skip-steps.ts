import { sql } from "kysely";
import { tellWebhooks } from "../../batches/status-change.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import type { RequestStatus } from "../../channels/request-status.ts";
import { REQUEST_STATUS } from "../../channels/status-mapping.ts";
import type { Tx } from "../../db/database.ts";
import { type NewEvent, publish } from "../../events/event.ts";
import { nextCadenceStep, type StepChoice } from "../../planning/cadences/next-cadence-step.ts";
import { reasonIn, type StepLogEntry, withEntries } from "../../planning/cadences/step-log.ts";
import type { SkipReason } from "../../planning/steps/request-step.ts";
import { personOf } from "../candidates.ts";
import type { Skipped } from "../skip-requests.ts";
import { stepEvents, stoppedEvent } from "./step-events.ts";

/** Reasons that are about the person and not about one channel: no step follows. */
export const STOPS: ReadonlySet<string> = new Set<SkipReason>(["suppressed", "too-late", "answered"]);

/** How a request stands after one of its steps was skipped. */
type AfterSkip = {
  skipped: Skipped;
  choice: StepChoice;
  /** Null: it waits for its next step. */
  over: { request_status: RequestStatus; channel_status: ChannelStatus } | null;
  log: StepLogEntry[];
};

/**
 * Of requests that must not be tried now, those that are in a cadence: one whose channel is closed to its person goes on
 * with its next step, one whose person answered is over. Returns the others, which are skipped whole. Needs the locks of
 * the requests.
 */
export async function skipSteps(tx: Tx, all: Skipped[], now: Date): Promise<Skipped[]> {
  const isInCadence = ({ batch }: Skipped) => batch.cadence !== null;
  if (!all.some(isInCadence)) return all;
  const after = all.filter(isInCadence).flatMap((skipped) => afterSkip(skipped, now) ?? []);
  if (after.length > 0) await store(tx, after, now);
  const kept = new Set(after.map(({ skipped }) => skipped));
  const whole = all.filter((skipped) => !kept.has(skipped));
  const stopped = whole.filter((skipped) => isInCadence(skipped) && skipped.candidate.attempt_count > 0);
  await tell(tx, stopped, (skipped) => [stoppedEvent(named(skipped, now), reasonIn(skipped.text))]);
  return whole;
}

/** Null: nothing was tried, and nothing will be, so that it is skipped whole; so it is where its person opted out. Pure. */
export function afterSkip(skipped: Skipped, now: Date): AfterSkip | null {
  const { batch, candidate, reason } = skipped;
  const entry = { step: candidate.step, at: now.toISOString(), text: reasonIn(skipped.text) };
  if (reason === "answered")
    return {
      skipped,
      choice: { next: null, skipped: [] },
      over: { request_status: "COMPLETED", channel_status: "COMPLETED" },
      log: [{ ...entry, kind: "stopped" }],
    };
  if (STOPS.has(reason)) return null;
  const choice = nextCadenceStep(batch.cadence ?? [], candidate.step + 1, null, personOf(candidate), now);
  if (choice.next === null && candidate.attempt_count === 0) return null;
  return {
    skipped,
    choice,
    over: choice.next === null ? asItsLastStep(candidate.channel_status) : null,
    log: [
      { ...entry, kind: "skipped" },
      ...choice.skipped.map((each) => ({ ...each, kind: "skipped" as const, at: now.toISOString() })),
    ],
  };
}

/** A call that a machine answered, with nothing left on it, is over as one that was made. */
const asItsLastStep = (status: ChannelStatus): NonNullable<AfterSkip["over"]> => {
  const channel_status = status === "MACHINE" ? "COMPLETED" : status;
  return { request_status: REQUEST_STATUS[channel_status], channel_status };
};

/** By primary key. */
async function store(tx: Tx, after: AfterSkip[], now: Date): Promise<void> {
  const rows = after.map(({ skipped: { candidate }, choice: { next }, over, log }) => ({
    batch_key: candidate.batch_key,
    request_id: candidate.request_id,
    request_status: over?.request_status ?? "PENDING",
    channel_status: over?.channel_status ?? candidate.channel_status,
    due_at: next?.at ?? null,
    step: next?.step ?? candidate.step,
    step_target: next ? next.target : candidate.target === candidate.request_target ? null : candidate.target,
    step_log: withEntries(candidate.step_log, log),
  }));
  await sql`
    update requests r set request_status = n.request_status, channel_manager_status = n.channel_status,
      due_at = n.due_at, step = n.step, step_target = n.step_target, step_log = n.step_log
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (
      batch_key bigint, request_id bigint, request_status text, channel_status text, due_at timestamptz,
      step smallint, step_target text, step_log json
    )
    where r.batch_key = n.batch_key and r.id = n.request_id`.execute(tx);
  const choices = new Map(after.map((each) => [each.skipped, each]));
  await tell(
    tx,
    after.map(({ skipped }) => skipped),
    (skipped) => {
      const { choice, over } = choices.get(skipped) as AfterSkip;
      const request = named(skipped, now);
      if (skipped.reason === "answered") return [stoppedEvent(request, reasonIn(skipped.text))];
      const own = { step: skipped.candidate.step, text: reasonIn(skipped.text) };
      return [
        ...stepEvents(request, [own, ...choice.skipped], choice.next),
        ...(over === null ? [] : [stoppedEvent(request, "no step is left")]),
      ];
    },
  );
  await tellWebhooks(
    tx,
    after.flatMap(({ skipped: { batch, candidate }, over }) =>
      over === null || over.channel_status === candidate.channel_status
        ? []
        : [
            {
              sub_organization_id: batch.sub_organization_id,
              campaign_id: batch.campaign.id,
              batch_key: batch.batch_key,
              request_id: candidate.request_id,
              attempt_count: candidate.attempt_count,
              previous: candidate.channel_status,
              status: over.channel_status,
              request_status: over.request_status,
              at: now,
              provider_status: null,
            },
          ],
    ),
  );
}

const named = ({ batch, candidate }: Skipped, at: Date) => ({
  campaign_id: batch.campaign.id,
  batch_id: batch.batch_id,
  reference_id: candidate.reference_id,
  target: candidate.target,
  of: (batch.cadence?.length ?? 0) + 1,
  at,
});

async function tell(tx: Tx, some: Skipped[], eventsOf: (skipped: Skipped) => NewEvent[]): Promise<void> {
  for (const [id, of] of Map.groupBy(some, ({ batch }) => batch.sub_organization_id))
    await publish(tx, id, of.flatMap(eventsOf));
}
