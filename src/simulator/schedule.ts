import type { Clock, MovedClock } from "../base/clock.ts";

/**
 * What will happen when, in the simulator's time. Either real timers run it, `speed` times as fast as life, or nothing
 * runs until a test moves its clock.
 */
export type SimulatedTime = {
  /** Runs it `ms` of simulated time from now. What it throws is told to `onError`. */
  after(ms: number, run: () => unknown): void;
  /** Moves a clock on through all that happens until then, each thing at its moment. Only where nothing else runs it. */
  advance(clock: MovedClock, ms: number): Promise<void>;
  /** Resolves once nothing that was begun is under way. */
  quiet(): Promise<void>;
  /** Counts as under way until it settles. */
  track<T>(work: Promise<T>): Promise<T>;
  readonly waiting: number;
  /** Nothing is under way or planned. */
  readonly isIdle: boolean;
  stop(): void;
};

/** Node.js runs a longer timer at once; one that ends too early looks again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Entry = { at: number; order: number; run: () => unknown };

export function createSchedule(options: {
  clock: Clock;
  /** How many times as fast as life; "moved": only `advance` runs anything. */
  speed: number | "moved";
  onError(error: unknown): void;
}): SimulatedTime {
  const { clock, speed, onError } = options;
  const heap: Entry[] = [];
  const underWay = new Set<Promise<unknown>>();
  let order = 0;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Infinity;
  let stopped = false;
  /** Real milliseconds on an axis of simulated ones, where timers run. */
  const now = () => (speed === "moved" ? clock.now().getTime() : performance.now() * speed);

  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const done = () => underWay.delete(work);
    work.then(done, done);
    return work;
  };

  const begin = ({ run }: Entry): void => {
    try {
      const running = run();
      if (running instanceof Promise) track(running).catch(onError);
    } catch (error) {
      onError(error);
    }
  };

  const arm = (): void => {
    const next = heap[0];
    if (speed === "moved" || stopped || !next || next.at >= timerAt) return;
    clearTimeout(timer);
    timerAt = next.at;
    timer = setTimeout(
      () => {
        timerAt = Infinity;
        for (let due = heap[0]; due && due.at <= now(); due = heap[0]) begin(pop(heap));
        arm();
      },
      Math.min(LONGEST_TIMER_MS, Math.max(0, (next.at - now()) / speed)),
    );
  };

  const quiet = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.allSettled([...underWay]);
  };

  return {
    after(ms, run) {
      if (stopped) return;
      push(heap, { at: now() + Math.max(0, ms), order: order++, run });
      arm();
    },
    async advance(moved, ms) {
      const until = moved.now().getTime() + ms;
      await quiet();
      for (let next = heap[0]; next && next.at <= until; next = heap[0]) {
        if (next.at > moved.now().getTime()) moved.set(new Date(next.at));
        begin(pop(heap));
        await quiet();
      }
      moved.set(new Date(until));
    },
    quiet,
    track,
    get waiting() {
      return heap.length;
    },
    get isIdle() {
      return heap.length === 0 && underWay.size === 0;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      heap.length = 0;
    },
  };
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  for (let up = (at - 1) >> 1; at > 0 && before(entry, heap[up]!); up = (at - 1) >> 1) {
    heap[at] = heap[up]!;
    at = up;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): Entry {
  const first = heap[0]!;
  const last = heap.pop()!;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
    if (!before(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return first;
}
