import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DATABASE } from "./embedded-postgres.ts";
import { connect, connectionTo, type LocalConnection, postmasterPid } from "./postgres-ownership.ts";
import { openFolderNames } from "./postgres-process.ts";

/** The embedded server of another program that runs now. */
type RunningPostgres = { connection: LocalConnection; leave(): void };

/** How long a server that starts up or shuts down is waited for. */
const BUSY_MS = 10_000;

/**
 * Connects to a server that another program started on this folder and still owns. Null when none runs. Without permission
 * for the folder, the file system's error is thrown.
 */
export async function joinRunningPostgres(dataDir: string): Promise<RunningPostgres | null> {
  const fd = openSync(dataDir, "r");
  try {
    const folder = openFolderNames(fd, dataDir);
    const giveUp = performance.now() + BUSY_MS;
    while (postmasterPid(folder) !== undefined) {
      const client = await connect(folder);
      if (client === undefined) break;
      if (client !== "busy") {
        await client.end();
        return { connection: connectionTo(folder, DATABASE), leave: () => closeSync(fd) };
      }
      if (performance.now() > giveUp) break;
      await sleep(50);
    }
    closeSync(fd);
    return null;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
