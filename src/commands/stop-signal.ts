/** A stop that takes longer (a peer that hangs, a database that does not answer) is cut short. */
const PATIENCE_MS = 30_000;
/** The exit code of what was ended before it was done, as shells have it. */
export const INTERRUPTED = 130;

/**
 * Aborted by the first signal that asks the program to end, also in the middle of a start, so that everything is taken
 * down in order. A second one ends it at once; the database then ends by itself, as after a kill.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const heard = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    if (signal === "SIGINT" && process.stderr.isTTY) {
      process.stderr.write("\nStopping. Once more ends it at once.\n");
    }
    setTimeout(() => {
      process.stderr.write(`parley: could not stop within ${PATIENCE_MS / 1000} s, ending now.\n`);
      process.exit(1);
    }, PATIENCE_MS).unref();
    stop.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, heard);
  return stop.signal;
}

/**
 * Aborted once nobody reads what is printed any more (`| head`): a command that only shows something has nothing left to
 * do then.
 */
export function readerGone(): AbortSignal {
  const gone = new AbortController();
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => code === "EPIPE" && gone.abort());
  return gone.signal;
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
