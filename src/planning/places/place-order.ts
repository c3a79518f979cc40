/** How urgent a campaign is where places are short; most leave it at 3. */
export const LOWEST_PRIORITY = 1;
export const NORMAL_PRIORITY = 3;
export const HIGHEST_PRIORITY = 5;

/** Each priority weighs twice as much as the one below. */
export const weightOf = (priority: number): number => 2 ** (priority - LOWEST_PRIORITY);

/** A place that a campaign asks for. */
export type Contender = {
  campaign_id: number;
  /** Neighbours with the same key ask for one place between them: the steps of a batch. Null: it asks by itself. */
  batch_key: number | null;
  priority: number;
  /** When its campaign began to wait, or last started; null: just now. */
  since: Date | null;
};

/** Counted as waited by everybody, so that weights decide among those who have only come. */
const HEAD_START_s = 1;

/**
 * In which order places are given. A campaign counts by its weight times how long it has waited since its last start, and
 * the second place that it asks for by half of that, the third by a third. So places are shared by weight, and whoever
 * waits counts for more with every second until it is their turn.
 *
 * Guaranteed of every order: the first contender of a campaign stands before each that counts for less. So a campaign that
 * has waited `t` seconds is passed over by another one only if that one has itself waited `t` times the share of their
 * weights, a sixteenth at most.
 *
 * Contenders of one campaign keep the order in which they are given.
 */
export function placeOrder<T extends Contender>(contenders: readonly T[], now: Date): T[] {
  return [...Map.groupBy(contenders, ({ campaign_id }) => campaign_id).values()]
    .flatMap((some) => countsOf(some, now))
    .toSorted((one, other) => other.counts - one.counts)
    .map(({ contender }) => contender);
}

function countsOf<T extends Contender>(some: readonly T[], now: Date): { contender: T; counts: number }[] {
  const whole = weightOf((some[0] as T).priority) * (HEAD_START_s + waited_s(some, now));
  let places = 0;
  return some.map((contender, index) => {
    const isSame = contender.batch_key !== null && contender.batch_key === some[index - 1]?.batch_key;
    if (!isSame) places++;
    return { contender, counts: whole / places };
  });
}

/** A clock that was set back makes nobody wait less than nothing. */
const waited_s = (some: readonly Contender[], now: Date): number =>
  Math.max(0, ...some.map(({ since }) => (since === null ? 0 : (now.getTime() - since.getTime()) / 1_000)));
