import { statfs } from "node:fs/promises";

/** With less than this, PostgreSQL's next files may not find room. */
const LEAST_FREE_bytes = 64 * 2 ** 20;

/** The MB left on a folder's disk where that is too little to store anything; null where it is enough, or not known. */
export async function tooLittleRoom(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  const free = disk ? disk.bavail * disk.bsize : Number.POSITIVE_INFINITY;
  return free < LEAST_FREE_bytes ? Math.floor(free / 2 ** 20) : null;
}

/** The sentence an operator reads when the disk is full; null if there is room. */
export async function fullDiskText(folder: string): Promise<string | null> {
  const left_mb = await tooLittleRoom(folder);
  if (left_mb === null) return null;
  const least_mb = LEAST_FREE_bytes / 2 ** 20;
  return `The disk of ${folder} is full: it has ${left_mb} MB left, and Parley needs at least ${least_mb} MB. Free up some space.`;
}

/** Null: the folder's disk can be written. A disk that failed is mounted again for reading only. */
export const readOnlyDiskText = (folder: string, error: unknown): string | null =>
  (error as NodeJS.ErrnoException | null)?.code === "EROFS"
    ? `The disk of ${folder} is mounted for reading only. Mount it for writing, or set DATA_DIR to another folder.`
    : null;

const WRITING = /^(mkdir|open|write|rename|unlink|rmdir|fsync)$/;
/** Mounted for reading only, somebody else's as where a disk is not mounted, broken, or a server of files that is away. */
const SHUT = /^(EROFS|EACCES|EPERM|EIO|ESTALE|ENOTCONN)$/;

/** Our own files can't be written, for a reason that passes once the operator mends it. */
export function isDiskShut(error: unknown): boolean {
  const { code = "", syscall = "" } = error as { code?: string; syscall?: string };
  // Node.js says ENOENT of folders that it can't make on a disk for reading only.
  return (WRITING.test(syscall) && SHUT.test(code)) || (syscall === "mkdir" && code === "ENOENT");
}
