import type { StatusChange } from "../batches/status-change.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { NewEvent } from "../events/event.ts";
import type { Tally } from "../planning/breaker.ts";
import type { RefusedCountry } from "./country-hold.ts";
import type { AttemptRow, BatchContext, RequestRow } from "./settled-rows.ts";

/** What a settlement changes, collected before anything is written: rows, status changes, events, and what sources are counted for. */
export class SettledChanges {
  #now: Date;
  #batches: Map<string, BatchContext>;
  #attempts = new Set<AttemptRow>();
  #requests = new Set<RequestRow>();
  #changes: StatusChange[] = [];
  /** By sub-organization. */
  #events = new Map<number, NewEvent[]>();
  #given_back: { campaign_id: number; day: string }[] = [];
  #refused_countries: RefusedCountry[] = [];
  #tallies = new Map<string, { organization_id: number; source: string; tally: Tally }>();

  /** `batches`: by the keys of their attempts. */
  constructor(now: Date, batches: Map<string, BatchContext>) {
    this.#now = now;
    this.#batches = batches;
  }

  attempt(attempt: AttemptRow): void {
    this.#attempts.add(attempt);
  }

  request(request: RequestRow): void {
    this.#requests.add(request);
  }

  /** An attempt ended; the breaker of its source counts it. */
  count(attempt: AttemptRow, failed: boolean): void {
    const tally = this.#tallyOf(attempt);
    tally.ended += 1;
    if (failed) tally.failed += 1;
  }

  /** The carrier refused the same person again. */
  countRepeated(attempt: AttemptRow): void {
    this.#tallyOf(attempt).repeated += 1;
  }

  /** The carrier refused because of us, which holds the source. */
  countRefusal(attempt: AttemptRow, why: string): void {
    this.#tallyOf(attempt).refused = why.slice(0, 500);
  }

  refusedCountry(refused: RefusedCountry): void {
    this.#refused_countries.push(refused);
  }

  /** Nobody was reached, so the day's cap has room for somebody else. */
  giveBackDay(attempt: AttemptRow): void {
    const { campaign_id, counted_on } = attempt;
    if (counted_on === null) return;
    this.#given_back.push({ campaign_id, day: counted_on });
    attempt.counted_on = null;
  }

  /** For webhooks and the event log. */
  tell(
    attempt: AttemptRow,
    request: RequestRow,
    previous: ChannelStatus,
    provider_status: string | null,
  ): void {
    const { sub_organization_id, campaign_id, batch_key, request_id, reference_id } = attempt;
    const { batch_id } = this.#batches.get(attempt.key) as BatchContext;
    const { channel_status: status, request_status, attempt_count } = request;
    const at = this.#now;
    this.#changes.push({
      sub_organization_id,
      campaign_id,
      batch_key,
      request_id,
      attempt_count,
      previous,
      status,
      request_status,
      at,
      provider_status,
    });
    const events = this.#events.get(sub_organization_id) ?? [];
    this.#events.set(sub_organization_id, events);
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

  get all() {
    return {
      attempts: [...this.#attempts],
      requests: [...this.#requests],
      changes: this.#changes,
      events: this.#events,
      outcomes: [...this.#tallies.values()],
      given_back: this.#given_back,
      refused_countries: this.#refused_countries,
    };
  }

  #tallyOf({ organization_id, source }: AttemptRow): Tally {
    const key = `${organization_id} ${source}`;
    const tally = { ended: 0, failed: 0, repeated: 0, refused: null };
    const known = this.#tallies.get(key) ?? { organization_id, source, tally };
    this.#tallies.set(key, known);
    return known.tally;
  }
}
