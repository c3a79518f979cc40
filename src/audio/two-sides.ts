/*
 * A call's two sides on one clock, as they are recorded: what the caller said, and what they were played. Pure; moments are
 * milliseconds since the recording began.
 */

/** A caller's frames come late and in bursts; a gap that is longer was a silence, unless what comes after it makes up for it. */
const JITTER_MS = 200;
/** What lies further back does not change any more. */
export const SETTLED_MS = 1000;
/** What we play is sent ahead and without gaps. */
const OWN_JITTER_MS = 20;

type PlacedSound = { from: number; samples: Int16Array };

export class TwoSides {
  readonly #rate: number;
  readonly #caller: Side;
  readonly #agent: Side;
  /** Samples of each side that were taken out. */
  #taken = 0;

  constructor(rate: number) {
    this.#rate = rate;
    this.#caller = new Side(this.#at(JITTER_MS), this.#at(SETTLED_MS));
    this.#agent = new Side(this.#at(OWN_JITTER_MS), null);
  }

  /** Heard at this moment, and said no later. */
  caller(samples: Int16Array, at_ms: number): void {
    this.#caller.place(samples, Math.max(this.#taken, this.#at(at_ms)));
  }

  /** Sent at this moment: played then, or once what was sent before it is over. */
  agent(samples: Int16Array, at_ms: number): void {
    this.#agent.place(samples, Math.max(this.#taken, this.#at(at_ms)));
  }

  /** What was sent and not played by then never is. */
  clear(at_ms: number): void {
    this.#agent.cut(Math.max(this.#taken, this.#at(at_ms)));
  }

  /** Both sides up to a moment, sample by sample: left the caller, right the agent. What lies before it can't change any more. */
  take(until_ms: number): Int16Array {
    const length = Math.max(0, this.#at(until_ms) - this.#taken);
    const both = new Int16Array(2 * length);
    this.#caller.copy(both, 0, this.#taken, length);
    this.#agent.copy(both, 1, this.#taken, length);
    this.#taken += length;
    return both;
  }

  #at(ms: number): number {
    return Math.round((ms * this.#rate) / 1000);
  }
}

class Side {
  readonly #jitter: number;
  /** How far back a sound may still be moved; null: what is placed later than it came is to be played later. */
  readonly #settled: number | null;
  #chunks: PlacedSound[] = [];
  #end = 0;
  /** The sound since the last silence: where it begins, and how much silence is before it. */
  #run = { from: 0, room: Number.POSITIVE_INFINITY };

  constructor(jitter: number, settled: number | null) {
    this.#jitter = jitter;
    this.#settled = settled;
  }

  place(samples: Int16Array, at: number): void {
    if (at - this.#end > this.#jitter) {
      this.#run = { from: at, room: at - this.#end };
      this.#end = at;
    }
    const from = this.#end;
    this.#chunks.push({ from, samples });
    this.#end += samples.length;
    if (this.#settled !== null && from > at) this.#moveBack(from - at, at - this.#settled);
  }

  /** The line stood still, and now brings all at once what was said meanwhile: no silence was before it. */
  #moveBack(wanted: number, earliest: number): void {
    const { from, room } = this.#run;
    const back = Math.min(wanted, room, from - earliest);
    if (back <= 0) return;
    this.#chunks = this.#chunks.map((chunk) =>
      chunk.from < from ? chunk : { ...chunk, from: chunk.from - back },
    );
    this.#run = { from: from - back, room: room - back };
    this.#end -= back;
  }

  cut(at: number): void {
    this.#chunks = this.#chunks
      .filter(({ from }) => from < at)
      .map(({ from, samples }) => ({ from, samples: samples.subarray(0, at - from) }));
    this.#end = Math.min(this.#end, at);
  }

  /** Into every second place, from `place` on; what is older than `from` is forgotten. */
  copy(into: Int16Array, place: number, from: number, length: number): void {
    const until = from + length;
    for (const chunk of this.#chunks) {
      const first = Math.max(chunk.from, from);
      const last = Math.min(chunk.from + chunk.samples.length, until);
      for (let at = first; at < last; at++)
        into[2 * (at - from) + place] = chunk.samples[at - chunk.from] as number;
    }
    this.#chunks = this.#chunks.filter((chunk) => chunk.from + chunk.samples.length > until);
    this.#end = Math.max(this.#end, until);
  }
}
