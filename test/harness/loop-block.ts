import { monitorEventLoopDelay } from "node:perf_hooks";

/** How long the main loop could do nothing else: by the clock, and the processor time it spent itself. */
export type LoopBlocks = { clock_ms: number; processor_ms: number };

const TICK_MS = 10;

/**
 * Watches the loop of this process. On a busy machine the clock also counts what other processes had the processor for;
 * the processor time between two ticks of one timer is what this loop's own work took.
 */
export function watchLoop(): { stop(): LoopBlocks } {
  const delay = monitorEventLoopDelay({ resolution: TICK_MS });
  delay.enable();
  let before = process.threadCpuUsage();
  let longest_us = 0;
  const tick = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest_us = Math.max(longest_us, user + system);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    stop() {
      tick();
      clearInterval(timer);
      delay.disable();
      return { clock_ms: Math.round(delay.max / 1e6), processor_ms: Math.round(longest_us / 1000) };
    },
  };
}

/** Prints what an attack did to the loop, for the reader of a report. */
export const printBlocks = (attack: string, { clock_ms, processor_ms }: LoopBlocks): void => {
  process.stdout.write(
    `longest block, ${attack}: ${clock_ms} ms by the clock, ${processor_ms} ms of processor time\n`,
  );
};
