import { createLog } from "../base/log.ts";
import type { Config, Secrets } from "../config.ts";
import { openPlatform } from "./open-platform.ts";
import { stopSignal } from "./stop-signal.ts";

/** Brings the database up to this version, and stops; for those who want that apart from a start. */
export async function migrateOnly(config: Config, secrets: Secrets): Promise<number> {
  const stop = stopSignal();
  try {
    const platform = await openPlatform(config, secrets, { log: createLog({ level: "warn" }), stop });
    await platform.close();
  } catch (error) {
    if (!stop.aborted) throw error;
    process.stderr.write("parley: stopped before the database was up to date.\n");
    return 1;
  }
  process.stdout.write("The database is up to date.\n");
  return 0;
}
