import { constants, createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, utimes } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { Fault } from "../base/errors.ts";
import type { FileHead, SectionEnd } from "./archive-format.ts";
import { ArchiveFault } from "./foreign-archive.ts";

/**
 * Folders of the data directory that rows of the database point into. Not the database itself, not the log, and not
 * `secret.key`, which opens what is sealed in the archive.
 */
const FOLDERS = ["recordings", "insights", "mail", "takeouts"];

type DataFile = { path: string; place: string; bytes: number; modified_at: string };

/** Sorted. Without links below the folders, and without files that are being written. */
export async function listFiles(dataDir: string): Promise<DataFile[]> {
  const files: DataFile[] = [];
  const look = async (below: string): Promise<void> => {
    const names = await readdir(path.join(dataDir, below)).catch(missing);
    for (const name of names?.sort() ?? []) {
      const each = `${below}/${name}`;
      const place = path.join(dataDir, each);
      const found = await lstat(place).catch(missing);
      if (found?.isDirectory()) await look(each);
      else if (found?.isFile() && !name.endsWith(".part"))
        files.push({ path: each, place, bytes: found.size, modified_at: found.mtime.toISOString() });
    }
  };
  for (const folder of FOLDERS) {
    await refuseForeignLink(path.join(dataDir, folder));
    await look(folder);
  }
  return files;
}

/** An operator may let a folder lie on another disk. A link that somebody else made would have root read what it likes. */
async function refuseForeignLink(place: string): Promise<void> {
  const found = await lstat(place).catch(missing);
  if (!found?.isSymbolicLink() || [0, process.geteuid?.()].includes(found.uid)) return;
  throw new Fault(
    "unavailable",
    `${place} is a link that another user made (uid ${found.uid}). Make it yourself, or back up as that user.`,
  );
}

/** Undefined where the file was deleted, or became a link, since it was listed: root may read what a link leads to. */
export async function readWhole({ place }: DataFile): Promise<AsyncIterable<Buffer> | undefined> {
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW).catch(missing);
  return handle && createReadStream(place, { fd: handle });
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(error.code ?? "")) throw error;
}

/** Restored files, kept apart until all is there. */
export type FileShelf = {
  save(head: FileHead, data: AsyncGenerator<Buffer, SectionEnd>): Promise<void>;
  /** Moves all to their places. */
  place(): Promise<void>;
  /** Removes all again, those in their places too. */
  clear(): Promise<void>;
};

const APART = ".restoring";

/**
 * What a start, `speech-model` or a restore that failed makes, the key that an operator puts there, and what a disk brings
 * itself.
 */
const ALLOWED = /^(postgres|postgres\.log|postgres\.new-\d+|secret\.key.*|console|speech|lost\+found|\..*)$/;

/**
 * Throws when the folder holds what no Parley makes: it is probably not the one that was meant, and a program that is
 * started as root gives what lies in it to the database's user. The archive itself may lie there.
 */
export async function refuseForeignFiles(dataDir: string, archive: string): Promise<void> {
  const names = (await readdir(dataDir).catch(missing)) ?? [];
  const isForeign = (name: string) =>
    !ALLOWED.test(name) && !FOLDERS.includes(name) && path.join(dataDir, name) !== archive;
  const [first, ...others] = names.filter(isForeign).sort();
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  throw new Fault(
    "refused",
    `${dataDir} is not empty: it holds ${first}${more}. Restore into a new data directory: set DATA_DIR to another folder, or move what is there away.`,
  );
}

/** Throws when the data directory holds files already. */
export async function openShelf(dataDir: string): Promise<FileShelf> {
  for (const folder of FOLDERS) {
    const names = await readdir(path.join(dataDir, folder)).catch(missing);
    if (names && names.length > 0)
      throw new Fault(
        "refused",
        `${path.join(dataDir, folder)} is not empty. Restore into a new data directory: set DATA_DIR to another folder, or move this one away.`,
      );
  }
  const apart = path.join(dataDir, APART);
  // Of a restore that was killed.
  await rm(apart, { recursive: true, force: true });
  const placed: string[] = [];
  return {
    async save({ path: name, modified_at }, data) {
      const place = path.join(apart, checkedPath(name));
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
      await pipeline(data, createWriteStream(place, { flags: "wx", mode: 0o600, flush: true }));
      await utimes(place, new Date(), new Date(modified_at));
    },
    async place() {
      for (const folder of (await readdir(apart).catch(missing)) ?? []) {
        const to = path.join(dataDir, folder);
        await rename(path.join(apart, folder), to);
        placed.push(to);
      }
      await rm(apart, { recursive: true, force: true });
    },
    async clear() {
      for (const each of [apart, ...placed.splice(0)]) await rm(each, { recursive: true, force: true });
    },
  };
}

/** An archive is signed, and still no path in it leads out of its folder. */
function checkedPath(name: string): string {
  const [folder = "", ...rest] = name.split("/");
  const isSafe = (part: string) => part !== "" && part !== "." && part !== ".." && !/[\\\0]/.test(part);
  if (FOLDERS.includes(folder) && rest.length > 0 && rest.every(isSafe)) return path.join(folder, ...rest);
  throw new ArchiveFault(`The backup holds a file with a place of its own: ${name}. It was changed.`);
}
