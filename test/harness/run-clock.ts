import type { MovedClock } from "../../src/base/clock.ts";

/** Audio is heard in real time: moves a clock with the real one. What is returned stops it. */
export function runClock(clock: MovedClock): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    clock.advance(Math.floor(now - last));
    last += Math.floor(now - last);
  }, 5);
  return () => clearInterval(timer);
}
