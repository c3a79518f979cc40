import type pg from "pg";
import { type Clock, systemClock } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";

/**
 * One clock for all processes on a database: the machine's, put right by the database's. Leases and times to come are
 * written by one process and judged by others, and machines differ: one that is a minute ahead would take the others' calls
 * and turns for abandoned, and one that is behind would start attempts too early.
 */
export type DatabaseClock = Clock & {
  /** Asks the database now. Rejects when it can't. */
  look(): Promise<void>;
  stop(): void;
};

type Parts = {
  /** What time it is where everybody looks. */
  ask(): Promise<Date>;
  log: Log;
  machine?: Clock;
  look_ms?: number;
};

/** A clock that is set while the program runs is wrong for so long. */
const LOOK_MS = 5_000;
/** A network that swallows what is sent breaks no connection for a long time. */
const SILENT_MS = 10_000;
/** Machines whose clocks are kept differ by a few milliseconds, and are left alone. */
const TOLERATED_MS = 500;

/** What the many lines of all that fails meanwhile don't say. */
const AWAY =
  "the database of DATABASE_URL does not answer: requests get a 503, and calls, chats and campaigns wait until it does";

/** Rejects when the database does not tell the time. */
export async function databaseClock({
  ask,
  log,
  machine = systemClock,
  look_ms = LOOK_MS,
}: Parts): Promise<DatabaseClock> {
  let off_ms = 0;
  let looking = false;
  const look = async () => {
    const asked = performance.now();
    const theirs = await ask();
    const way_ms = performance.now() - asked;
    const found_ms = Math.round(theirs.getTime() + way_ms / 2 - machine.now().getTime());
    // How long the answer took is how far it may be wrong.
    if (Math.abs(found_ms - off_ms) <= TOLERATED_MS + way_ms) return;
    off_ms = Math.abs(found_ms) <= TOLERATED_MS + way_ms ? 0 : found_ms;
    const ahead_s = -off_ms / 1000;
    if (off_ms !== 0)
      log.warn(
        { ahead_s },
        "this machine's clock differs from the database's, which counts. Run NTP on both",
      );
    else log.info("this machine's clock agrees with the database's again");
  };
  await look();
  let isAway = false;
  const away = (error: string) => {
    if (!isAway) log.error({ error }, AWAY);
    isAway = true;
  };
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    const silent = setTimeout(away, SILENT_MS, "no answer").unref();
    try {
      await look();
      if (isAway) log.info("the database answers again");
      isAway = false;
    } catch (error) {
      away(errorText(error));
    }
    clearTimeout(silent);
    looking = false;
  }, look_ms).unref();
  return {
    now: () => new Date(machine.now().getTime() + off_ms),
    wakeAt: (at, wake) => machine.wakeAt(new Date(at.getTime() - off_ms), wake),
    elapsed_ms: machine.elapsed_ms,
    look,
    stop: () => clearInterval(timer),
  };
}

/** Not `now()`, which is when the transaction began. */
export async function askTime(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ at: Date | string }>("select clock_timestamp() as at");
  return new Date((rows[0] as { at: Date | string }).at);
}
