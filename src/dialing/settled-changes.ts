import type { StatusChange } from "../batches/status-change.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { NewEvent } from "../events/event.ts";
import type { NumberUse } from "../number-groups/number-uses.ts";
import { nextPhase } from "../planning/attempt-state.ts";
import { isDialled, statusAt } from "../planning/batch-state.ts";
import type { Tally } from "../planning/breaker.ts";
import type { PlannedStep, SkippedStep } from "../planning/cadences/next-cadence-step.ts";
import { stepEvents } from "./cadences/step-events.ts";
import type { RefusedCountry } from "./country-hold.ts";
import type { AttemptRow, BatchContext, RequestRow } from "./settled-rows.ts";
import type { RefusedStep } from "./silence-steps.ts";

/** What a settlement will write, collected event by event: changed rows, events and webhooks. Pure. */
export class SettledChanges {
  ended = 0;
  readonly attempts = new Set<AttemptRow>();
  readonly requests = new Set<RequestRow>();
  readonly status_changes: StatusChange[] = [];
  /** By sub-organization. */
  readonly events = new Map<number, NewEvent[]>();
  readonly given_back: { campaign_id: number; day: string }[] = [];
  readonly given_back_numbers: NumberUse[] = [];
  readonly refused_countries: RefusedCountry[] = [];
  readonly silent_steps: RefusedStep[] = [];
  readonly now: Date;
  #batches: Map<string, BatchContext>;
  #tallies = new Map<string, { organization_id: number; source: string; tally: Tally }>();

  /** `batches`: by the key of the attempt. */
  constructor(now: Date, batches: Map<string, BatchContext>) {
    this.now = now;
    this.#batches = batches;
  }

  get outcomes() {
    return [...this.#tallies.values()];
  }

  after(ms: number): string {
    return new Date(this.now.getTime() + ms).toISOString();
  }

  batchOf({ key }: AttemptRow): BatchContext {
    return this.#batches.get(key) as BatchContext;
  }

  /** Whether its batch may still start attempts, now or after a pause. */
  goesOnWith(attempt: AttemptRow): boolean {
    const { batch_status, expires_on } = this.batchOf(attempt);
    const status = statusAt(
      { status: batch_status, expires_on: expires_on === null ? null : new Date(expires_on) },
      this.now,
    );
    return isDialled(status) || status === "PAUSED";
  }

  end(attempt: AttemptRow, by: "over" | "not-taken" | "refused-later"): void {
    attempt.state = nextPhase(attempt.state, by);
    attempt.ended_at = this.now.toISOString();
    attempt.holds_slot = false;
    attempt.check_at = null;
    this.ended++;
  }

  /** The counts by which its source's health is judged. */
  tallyOf({ organization_id, source }: AttemptRow): Tally {
    const key = `${organization_id} ${source}`;
    const tally = { ended: 0, failed: 0, repeated: 0, refused: null };
    const known = this.#tallies.get(key) ?? { organization_id, source, tally };
    this.#tallies.set(key, known);
    return known.tally;
  }

  count(attempt: AttemptRow, failed: boolean): void {
    const tally = this.tallyOf(attempt);
    tally.ended += 1;
    if (failed) tally.failed += 1;
  }

  /** An event for each step of a cadence that was skipped, and one for the step that comes next. */
  tellSteps(attempt: AttemptRow, skipped: readonly SkippedStep[], next: PlannedStep | null): void {
    const { cadence, batch_id } = this.batchOf(attempt);
    const told = stepEvents(
      { ...attempt, batch_id, of: (cadence?.steps.length ?? 0) + 1, at: this.now },
      skipped,
      next,
    );
    const events = this.events.get(attempt.sub_organization_id) ?? [];
    this.events.set(attempt.sub_organization_id, [...events, ...told]);
  }

  /** The webhooks and the event of a request's new status. */
  tell(
    attempt: AttemptRow,
    request: RequestRow,
    previous: ChannelStatus,
    provider_status: string | null,
  ): void {
    const { sub_organization_id, campaign_id, batch_key, request_id, reference_id } = attempt;
    const { batch_id } = this.batchOf(attempt);
    const { channel_status: status, request_status, attempt_count } = request;
    const at = this.now;
    this.status_changes.push({
      sub_organization_id,
      campaign_id,
      batch_key,
      request_id,
      attempt_count,
      previous,
      status,
      request_status,
      mode: attempt.mode,
      at,
      provider_status,
    });
    const events = this.events.get(sub_organization_id) ?? [];
    this.events.set(sub_organization_id, events);
    events.push({
      at,
      source: "outbound",
      source_id: null,
      category: "outbound",
      type: "request-status",
      description: `Request "${reference_id}" of batch "${batch_id}" is ${status} (${request_status})`,
      ...(attempt.session_id !== null && { session_id: attempt.session_id }),
      ...(attempt.conversation_id !== null && { conversation_id: attempt.conversation_id }),
      user_id: attempt.target,
      attributes: { campaign_id, batch_id, reference_id, attempt_count, status, request_status },
    });
  }
}
