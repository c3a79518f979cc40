import { setTimeout as sleep } from "node:timers/promises";

/** What does not end in this time goes with the process that runs the files. */
const MOST_MS = 5_000;

const open: (() => unknown)[] = [];

/**
 * Closes something when a file's tests are done, what was opened last first. For what is opened in a hook or a test: an
 * `afterAll` that is registered there never runs. A test that is about closing closes by itself.
 */
export const afterFile = (close: () => unknown): void => void open.push(close);

/** Called once after each file, by the set-up file: files of one process share this module. */
export async function closeAfterFile(): Promise<void> {
  for (const close of open.splice(0).reverse()) {
    const closed = Promise.try(close).catch(() => {});
    await Promise.race([closed, sleep(MOST_MS, undefined, { ref: false })]);
  }
}
