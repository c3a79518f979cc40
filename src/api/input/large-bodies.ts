import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../base/errors.ts";

/** Characters. A smaller body is read in less than a millisecond. */
const LARGE = 64 * 1024;
/** After a large body, so many times the time that it took belong to everybody else. */
const REST = 2;
const LONGEST_REST_MS = 250;
/** Each holds its text while it waits. */
const MOST_WAITING = 100;

/**
 * Large bodies are read one at a time, with a rest after each: together they have a third of the main loop, however many
 * come at once, and whoever talks with an agent has the rest. Resolves when it is a body's turn.
 */
export function createLargeBodies(): (length: number) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** Measured from when a body's turn comes until the loop gets to something else. */
  const rest = async () => {
    const began = performance.now();
    await setImmediate();
    await sleep(Math.min(LONGEST_REST_MS, REST * (performance.now() - began)));
  };

  return async (length) => {
    if (length <= LARGE) return;
    if (waiting >= MOST_WAITING) {
      throw new Fault("too-many", "Too many large requests at once. Try again in a moment.", {
        retry_after_s: 1,
      });
    }
    waiting++;
    const turn = last;
    const next = Promise.withResolvers<void>();
    last = next.promise;
    await turn;
    waiting--;
    rest().then(next.resolve, next.reject);
  };
}
