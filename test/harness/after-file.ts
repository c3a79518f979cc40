import { setTimeout as sleep } from "node:timers/promises";
import { afterAll } from "vitest";

/** What does not end in this time goes with the process of the file, a moment later. */
const MOST_MS = 5_000;

const open: (() => unknown)[] = [];

/**
 * Closes something when a file's tests are done, what was opened last first. For what is opened in a hook or a test: an
 * `afterAll` that is registered there never runs. A test that is about closing closes by itself.
 */
export const afterFile = (close: () => unknown): void => void open.push(close);

afterAll(async () => {
  for (const close of open.splice(0).reverse()) {
    const closed = Promise.try(close).catch(() => {});
    await Promise.race([closed, sleep(MOST_MS, undefined, { ref: false })]);
  }
});
