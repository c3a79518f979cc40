import { availableParallelism } from "node:os";
import type { Clock } from "../base/clock.ts";

/** A carrier or a page opens the line of a call that was answered within this time. */
const OPENING_MS = 15_000;

/**
 * Calls that one process can hear and speak at once. One thread carries the audio of all of them; the offline engines need
 * ten times as much, most of it in one thread that hears.
 */
export const mostCalls = (isOffline: boolean, cores = availableParallelism()): number =>
  isOffline ? Math.min(12, 6 * cores) : Math.min(100, 25 * cores);

/**
 * Counts the calls whose audio this process handles, so that one too many is refused instead of slowing all down. Calls that
 * we made, and calls whose line is opened anew, are counted and never refused: somebody is on the line already.
 */
export class CallCapacity {
  readonly most: number;
  readonly #clock: Clock;
  /** Answered calls whose line is not open yet, by the carrier's id, with the time at which their place is free again. */
  readonly #expected = new Map<string, number>();
  readonly #running = new Set<number>();
  #refused = 0;

  constructor(most: number, clock: Clock) {
    this.most = most;
    this.#clock = clock;
  }

  /** Keeps a place for a new call; a carrier may ask for it once more. False: there is none. */
  admit(sid: string): boolean {
    if (this.running < this.most || this.#expected.has(sid)) {
      this.#expected.set(sid, this.#clock.now().getTime() + OPENING_MS);
      return true;
    }
    this.#refused++;
    return false;
  }

  opened(id: number, sid: string): void {
    this.#expected.delete(sid);
    this.#running.add(id);
  }

  /** The call was not answered after all. */
  forget(sid: string): void {
    this.#expected.delete(sid);
  }

  closed(id: number): void {
    this.#running.delete(id);
  }

  /** Open lines, and those that are about to open. */
  get running(): number {
    const now = this.#clock.now().getTime();
    for (const [sid, until] of this.#expected) if (until <= now) this.#expected.delete(sid);
    return this.#running.size + this.#expected.size;
  }

  /** Since the process started. */
  get refused(): number {
    return this.#refused;
  }
}

/** For monitoring. */
export const capacityFigures = (capacity: CallCapacity) => [
  {
    type: "gauge" as const,
    name: "parley_voice_calls",
    help: "Calls whose audio this process hears and speaks now.",
    read: () => capacity.running,
  },
  {
    type: "gauge" as const,
    name: "parley_voice_calls_most",
    help: "The most calls that it hears and speaks at once (VOICE_CALLS).",
    read: () => capacity.most,
  },
  {
    type: "counter" as const,
    name: "parley_voice_calls_refused_total",
    help: "Calls that were refused as busy since the process started.",
    read: () => capacity.refused,
  },
];
