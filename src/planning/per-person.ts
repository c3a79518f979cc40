/**
 * How often one person may be tried within any stretch of this length, over all campaigns of a sub-organization: first
 * attempts and retries, calls and texts alike, at all addresses that a contact says are theirs. What the carrier did not take reached nobody and is not counted.
 */
export type PersonLimit = { attempts: number; window_ms: number };

/** An address that was tried as often as it may be; `until`: when the first of these tries is long enough ago. */
export type TooOften = PersonLimit & { until: Date };

export type TriedAddress = { sub_organization_id: number; target: string };

/** Of an address, as a key. */
export const triedName = ({ sub_organization_id, target }: TriedAddress): string =>
  `${sub_organization_id} ${target}`;

/** Pure. `tried`: when the address was tried within the window, the latest first. */
export function tooOften(tried: readonly Date[], limit: PersonLimit): TooOften | null {
  const first = tried[limit.attempts - 1];
  return first === undefined ? null : { ...limit, until: new Date(first.getTime() + limit.window_ms) };
}

/** When addresses were tried lately; whoever starts an attempt says so with `add`. */
export class Tried {
  #limit: PersonLimit | null;
  #times: Map<string, Date[]>;

  constructor(limit: PersonLimit | null, times: Map<string, Date[]>) {
    this.#limit = limit;
    this.#times = times;
  }

  /** `targets`: all addresses of one person. */
  tooOften(
    { sub_organization_id }: Pick<TriedAddress, "sub_organization_id">,
    targets: readonly string[],
  ): TooOften | null {
    if (this.#limit === null) return null;
    const times = targets.flatMap(
      (target) => this.#times.get(triedName({ sub_organization_id, target })) ?? [],
    );
    return tooOften(
      targets.length === 1 ? times : times.toSorted((one, other) => other.getTime() - one.getTime()),
      this.#limit,
    );
  }

  add(address: TriedAddress, at: Date): void {
    this.#times.set(triedName(address), [at, ...(this.#times.get(triedName(address)) ?? [])]);
  }
}
