import { readFile } from "node:fs/promises";
import type { Server } from "node:net";
import type { Log } from "../base/log.ts";

/** Enough for what one process carries; every socket of a chat is a file. */
const ENOUGH_FILES = 4_096;
/** Of the files that this process may open. The rest is for the database, recordings, models and tools. */
const SHARE_OF_CONNECTIONS = 0.75;
const SAID_AGAIN_AFTER_MS = 60_000;

const HOW = "Allow it more files: LimitNOFILE=65536 in its unit of systemd, or ulimit -n.";

/**
 * Takes no more connections than leave files for the work of those that are there. Without a bound the system cuts off
 * connections once no file is left, and tells nobody: neither Node.js nor the log hears of it, and turns of people who are
 * connected fail.
 */
export async function spareFiles(server: Server, log: Log): Promise<void> {
  const files = await openFilesLimit();
  if (files === null) return;
  const most = Math.floor(files * SHARE_OF_CONNECTIONS);
  server.maxConnections = most;
  if (files < ENOUGH_FILES)
    log.warn(`This process may open ${files} files, so it takes ${most} connections at once. ${HOW}`);
  let saidAt = -Infinity;
  server.on("drop", () => {
    const now = performance.now();
    if (now - saidAt < SAID_AGAIN_AFTER_MS) return;
    saidAt = now;
    log.error(`${most} connections are open, and others are refused. ${HOW}`);
  });
}

/** Linux tells it; Node.js has raised it to what the system allows. Null: not told, or without a bound. */
async function openFilesLimit(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}
