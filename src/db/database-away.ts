import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Of a server that restarts, hands over to another, is full or can't be reached (connection exceptions: class 08). */
const AWAY = /^(08...|57P0[1-5]|55000|53300|25006)$/;
const NO_CONNECTION = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** What the driver, which gives these no code, says of a connection that broke, or of none that came free in time. */
const BROKE_OFF =
  /^Connection terminated|^Client has encountered a connection error|^Client was closed|^timeout exceeded when trying to connect/;

export function isDatabaseAway(error: unknown): boolean {
  const { code = "", syscall, message = "" } = error as { code?: string; syscall?: string; message?: string };
  return (
    (error instanceof pg.DatabaseError && AWAY.test(code)) ||
    (NO_CONNECTION.test(code) && /^(connect|read|write|getaddrinfo)$/.test(syscall ?? "")) ||
    BROKE_OFF.test(message)
  );
}

/** The server answers, and takes no further connection: so many are open already, by its own limit, the database's or the user's. */
export const hasNoPlace = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === "53300";

const TRY_AGAIN_MS = 250;

/** Tries again while the database is away, for so long at the most and until `stop` is aborted; then rejects. */
export async function patiently<T>(
  work: () => Promise<T>,
  { most_ms, stop }: { most_ms: number; stop?: AbortSignal },
): Promise<T> {
  const until = performance.now() + most_ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > until || stop?.aborted) throw error;
      await sleep(TRY_AGAIN_MS, undefined, { signal: stop, ref: false }).catch(() => {});
    }
  }
}
