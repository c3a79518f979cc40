import { spawnSync } from "node:child_process";
import { lchown, lstat, readdir } from "node:fs/promises";
import path from "node:path";
import type { Log } from "../base/log.ts";
import { databaseUser } from "../db/postgres-folder.ts";
import type { DatabaseUser } from "../db/postgres-process.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** The embedded database's own folder, which belongs to whom it runs as. */
const DATABASE_FOLDER = "postgres";

/**
 * Root is needed to bind a port below 1024 and to start PostgreSQL as somebody else; a fault of ours, or of a library,
 * should open no more than Parley's own files. Afterwards the program is the user that the embedded database runs as, else
 * the owner of its data folder, else `postgres` or `nobody`, and what root left in the folder is given to that user.
 */
export async function stepDown(
  config: { data_dir: string; run_as_root: boolean; database_url: string | null },
  log: Log,
): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  if (config.run_as_root) {
    log.info("runs as root, because RUN_AS_ROOT is on");
    return;
  }
  const folder = path.resolve(config.data_dir);
  const user = await userFor(folder, config.database_url === null);
  if (typeof user === "string") {
    log.info({ why: user }, "still runs as root: set DATA_DIR to a folder that another user can enter");
    return;
  }
  await giveRootsFiles(folder, user);
  process.setgroups?.([user.gid]);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
  log.info({ uid: user.uid, gid: user.gid }, "no longer root: runs as the owner of its data");
}

/** Whom to become, or a sentence why nobody can. */
async function userFor(folder: string, embedded: boolean): Promise<DatabaseUser | string> {
  const { uid, gid } = await lstat(folder);
  let user: DatabaseUser | undefined;
  try {
    user = uid === 0 || embedded ? await databaseUser(path.join(folder, DATABASE_FOLDER)) : { uid, gid };
  } catch {
    return "this machine has no user named postgres or nobody";
  }
  if (user === undefined) return "this machine has no user named postgres or nobody";
  if (uid !== 0 && uid !== user.uid)
    return `the database in ${folder} belongs to user ${user.uid}, the folder itself to user ${uid}`;
  // Modules are loaded, and the console is bundled, later on.
  const test = '[ -x "$1" ] && [ -r "$2" ] && [ -x "$3" ]';
  const places = [path.dirname(folder), path.join(ROOT, "src/main.ts"), process.execPath];
  const { status } = spawnSync("/bin/sh", ["-c", test, "sh", ...places], { ...user, env: {}, cwd: "/" });
  return status === 0 ? user : `user ${user.uid} can't enter ${places[0]} or read ${ROOT}`;
}

/**
 * Files and folders of root only, each name as it is: a link leads elsewhere, and a file with a second name may be one that
 * somebody else put there to be given it.
 */
async function giveRootsFiles(place: string, user: DatabaseUser): Promise<void> {
  const found = await lstat(place);
  if (found.isDirectory()) {
    for (const name of await readdir(place))
      if (name !== DATABASE_FOLDER) await giveRootsFiles(path.join(place, name), user);
  } else if (!found.isFile() || found.nlink > 1) return;
  if (found.uid === 0) await lchown(place, user.uid, user.gid);
}
