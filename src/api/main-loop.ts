import { Gauge, type Registry } from "prom-client";

/** How often the main loop is expected to come round. */
const ROUND_MS = 10;

/**
 * One thread serves everybody, so the longest time that it did not come round is the longest that everybody waited. By
 * the clock it includes what other programs had the processor for; by the processor it is this thread's own work alone.
 * Each reading starts again. Returns what ends the measurement.
 */
export function measureMainLoop(registry: Registry): () => void {
  let longest = { clock_ms: 0, processor_us: 0 };
  let before = { at: performance.now(), used: process.threadCpuUsage() };
  const round = () => {
    const at = performance.now();
    const { user, system } = process.threadCpuUsage(before.used);
    longest = {
      clock_ms: Math.max(longest.clock_ms, at - before.at - ROUND_MS),
      processor_us: Math.max(longest.processor_us, user + system),
    };
    before = { at, used: process.threadCpuUsage() };
  };
  const rounds = setInterval(round, ROUND_MS).unref();
  new Gauge({
    name: "parley_main_loop_longest_block_seconds",
    help: "The longest time the main loop stood still since the last reading, by the clock and by the processor time of its own work.",
    labelNames: ["time"],
    registers: [registry],
    collect() {
      round();
      this.set({ time: "clock" }, longest.clock_ms / 1_000);
      this.set({ time: "processor" }, longest.processor_us / 1_000_000);
      longest = { clock_ms: 0, processor_us: 0 };
    },
  });
  return () => clearInterval(rounds);
}
