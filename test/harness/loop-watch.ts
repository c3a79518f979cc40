import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

/** SECURITY.md's promise: whatever one sender does, everybody else waits no longer than this. */
export const LONGEST_BLOCK_MS = 200;

const RESOLUTION_MS = 5;

/**
 * How long the main loop stood still at the longest while `work` ran, and what `work` gave. The clock also counts what
 * other programs had the processor for; `processor_ms` is the most that this loop's own work took between two rounds.
 */
export async function watchLoop<T>(
  work: () => T,
): Promise<{ longest_ms: number; processor_ms: number; result: Awaited<T> }> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let before = process.threadCpuUsage();
  let longest_us = 0;
  const round = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest_us = Math.max(longest_us, user + system);
    before = process.threadCpuUsage();
  };
  const rounds = setInterval(round, RESOLUTION_MS);
  // The first round only starts the clock, and the last block is counted by the round after it.
  await sleep(4 * RESOLUTION_MS);
  try {
    const result = await work();
    await sleep(4 * RESOLUTION_MS);
    round();
    return {
      longest_ms: Math.max(0, Math.round(delays.max / 1e6) - RESOLUTION_MS),
      processor_ms: Math.round(longest_us / 1000),
      result,
    };
  } finally {
    clearInterval(rounds);
    delays.disable();
  }
}

/**
 * Runs an attack, prints the main loop's longest block and expects it within the promise, by the clock or, on a machine
 * that others use too, by the processor time of the loop's own work. The attack is run again when it was not, twice at the
 * most, since a collection of garbage takes its time from it too: a real block comes back every time. So `attack` must be
 * safe to repeat.
 */
export async function expectFreeLoop<T>(name: string, attack: () => T): Promise<Awaited<T>> {
  for (let run = 1; ; run++) {
    const { longest_ms, processor_ms, result } = await watchLoop(attack);
    process.stdout.write(
      `longest block of the main loop: ${longest_ms} ms, ${processor_ms} ms of them its own (${name})\n`,
    );
    if (Math.min(longest_ms, processor_ms) < LONGEST_BLOCK_MS) return result;
    if (run === 3) expect.fail(`${name}: the main loop stood still for ${longest_ms} ms`);
  }
}
