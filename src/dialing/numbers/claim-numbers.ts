import type { Db } from "../../db/database.ts";
import { type GroupNumber, type NumberGroupNow, readNumberGroups } from "../../number-groups/number-pool.ts";
import {
  chooseNumber,
  isFree,
  numbersLeft,
  type PoolNumber,
  type StoredChoice,
  seedOf,
} from "../../planning/numbers/number-choice.ts";
import type { NumbersLeft } from "../../planning/steps/batch-step.ts";
import type { CountryHold } from "../../planning/steps/request-step.ts";
import type { CountryHolds } from "../country-hold.ts";
import { type DueBatch, senderOf } from "../due-batches.ts";
import type { Lines } from "../lines.ts";
import type { AbsentContender } from "../places/place-queue.ts";

/** The group that an attempt's number is in, and the day its use counts on. `choice`: null where nothing was chosen. */
export type UsedNumber = { group_id: number; day: string; choice: StoredChoice | null };

/**
 * The numbers that batches send from: their campaign's own, or one of its number group. Read once for a claim, and each
 * attempt that starts is added by `take`, so that the next one sees its use.
 */
export class ClaimNumbers {
  readonly lines: Lines;
  #groups: Map<number, NumberGroupNow>;
  #now: Date;

  constructor(lines: Lines, groups: Map<number, NumberGroupNow>, now: Date) {
    this.lines = lines;
    this.#groups = groups;
    this.#now = now;
  }

  /** Asks nothing where no number is in a group. For a claim, under the lock of the organizations. */
  static async read(db: Db, batches: DueBatch[], lines: Lines, now: Date): Promise<ClaimNumbers> {
    const ids = batches.flatMap(({ campaign, sender }) => [
      campaign.number_group_id,
      sender?.number_group_id,
    ]);
    const wanted = new Set(ids.filter((id) => id != null));
    return new ClaimNumbers(lines, await readNumberGroups(db, [...wanted], now), now);
  }

  /** The input of `batchStep`. */
  capacity(batch: DueBatch): ReturnType<Lines["capacity"]> & { numbers: NumbersLeft | null } {
    const own = this.lines.capacity(batch);
    const { number_group_id } = batch.campaign;
    if (number_group_id === null) return { ...own, numbers: null };
    const group = this.#groupFor(batch);
    return {
      ...own,
      source_paused_until: null,
      source_refusal: null,
      free_lines: { ...own.free_lines, source: Number.POSITIVE_INFINITY },
      numbers: numbersLeft(
        group ?? { name: "of the campaign", daily_cap: null, local_presence: false },
        group === null ? [] : this.#numbersOf(batch, group),
        new Date(group?.day_ends ?? this.#now),
        this.#now,
      ),
    };
  }

  /** Whether the carrier lets us reach the person's country: of a group, whether it does from none of its free numbers. */
  countryHold(batch: DueBatch, target: string, countries: CountryHolds): CountryHold | null {
    const group = this.#groupFor(batch);
    if (group === null) return countries.of(senderOf(batch), target);
    const holds: CountryHold[] = [];
    for (const each of this.#numbersOf(batch, group)) {
      if (!isFree(group, each, this.#now)) continue;
      const { number } = each;
      const hold = countries.of({ ...senderOf(batch), source: number }, target);
      if (hold === null) return null;
      holds.push(hold);
    }
    return holds.toSorted((one, other) => one.until.getTime() - other.until.getTime())[0] ?? null;
  }

  /** What the attempt is sent from, with its use counted. Needs `capacity` and `countryHold` to have allowed it. */
  take(
    batch: DueBatch,
    target: string,
    countries: CountryHolds,
  ): { batch: DueBatch; number: UsedNumber | null } {
    const group = this.#groupFor(batch);
    if (group === null) return { batch, number: this.#takeOwn(batch) };
    const pool = this.#numbersOf(batch, group);
    const reaching = pool.filter(
      ({ number }) => countries.of({ ...senderOf(batch), source: number }, target) === null,
    );
    const choice = chooseNumber(group, reaching, target, seedOf(target), this.#now);
    const chosen = group.numbers.find(({ channel_target_id }) => channel_target_id === choice?.id);
    if (choice === null || chosen === undefined) throw new Error(`no number of group ${group.id} was free`);
    chosen.uses += 1;
    const { match, use, cap } = choice;
    return {
      batch: sentFrom(batch, group, chosen),
      number: { group_id: group.id, day: group.day, choice: { group: group.name, match, use, cap } },
    };
  }

  /** Counts a place as taken by a batch that another claim looks at, where there is one for it. */
  setAside({ place, number_group_id }: AbsentContender): void {
    const group = number_group_id === null ? undefined : this.#groups.get(number_group_id);
    const sources = group === undefined ? [place.source] : group.numbers.map(({ number }) => number);
    const source = sources.find((each) => this.lines.hasRoomFor({ ...place, source: each }));
    if (source !== undefined) this.lines.take({ ...place, source });
  }

  /** A number of a group that its campaign names by itself counts there as well, and is not held back. */
  #takeOwn({ sender }: DueBatch): UsedNumber | null {
    const group = sender?.number_group_id == null ? undefined : this.#groups.get(sender.number_group_id);
    const own = group?.numbers.find(
      ({ channel_target_id }) => channel_target_id === sender?.channel_target_id,
    );
    if (group === undefined || own === undefined) return null;
    own.uses += 1;
    return { group_id: group.id, day: group.day, choice: null };
  }

  /** Null: the campaign names none, or one whose numbers are not for its channel. */
  #groupFor({ campaign }: DueBatch): NumberGroupNow | null {
    if (campaign.number_group_id === null) return null;
    const group = this.#groups.get(campaign.number_group_id) ?? null;
    return group?.mode === campaign.mode ? group : null;
  }

  #numbersOf({ organization_id }: DueBatch, group: NumberGroupNow): PoolNumber[] {
    return group.numbers.map(({ channel_target_id, number, uses, resting_until }) => {
      const { paused_until, free_lines } = this.lines.source(organization_id, number);
      return {
        id: channel_target_id,
        number,
        uses,
        paused_until,
        free_lines,
        resting_until: resting_until === null ? null : new Date(resting_until),
      };
    });
  }
}

/** The batch as it sends from a number of its campaign's group; the agent stays the campaign's. */
function sentFrom(batch: DueBatch, group: NumberGroupNow, number: GroupNumber): DueBatch {
  const { channel_target_id, channel_id, number: address, is_test } = number;
  return {
    ...batch,
    sender: { channel_target_id, channel_id, address, mode: group.mode, is_test, number_group_id: group.id },
    campaign: { ...batch.campaign, caller_id: null },
  };
}
