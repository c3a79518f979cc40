import { expect, test } from "vitest";
import { expectFreeLoop, LONGEST_BLOCK_MS, watchLoop } from "./loop-watch.ts";

/** Of processor time: on a busy machine others have a part of the clock's. */
function block(ms: number): void {
  const before = process.threadCpuUsage();
  for (let used_us = 0; used_us < ms * 1000; ) {
    const { user, system } = process.threadCpuUsage(before);
    used_us = user + system;
  }
}

test("a block of the main loop is seen, at the beginning of the work and at its end", async () => {
  const first = await watchLoop(() => block(300));
  expect(first.longest_ms).toBeGreaterThanOrEqual(LONGEST_BLOCK_MS);
  const last = await watchLoop(async () => {
    await new Promise(setImmediate);
    block(300);
    return "done";
  });
  expect(last.longest_ms).toBeGreaterThanOrEqual(LONGEST_BLOCK_MS);
  expect(last.processor_ms).toBeGreaterThanOrEqual(LONGEST_BLOCK_MS);
  expect(last.result).toBe("done");
});

test("an attack that blocks every time fails", async () => {
  await expect(expectFreeLoop("a loop", () => block(300))).rejects.toThrow("stood still");
});
