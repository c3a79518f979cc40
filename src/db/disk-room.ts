import { statfs } from "node:fs/promises";

/** With less than this, PostgreSQL's next files may not find room. */
const LEAST_FREE_bytes = 64 * 2 ** 20;

/** The MB left on a folder's disk where that is too little to store anything; null where it is enough, or not known. */
export async function tooLittleRoom(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  const free = disk ? disk.bavail * disk.bsize : Number.POSITIVE_INFINITY;
  return free < LEAST_FREE_bytes ? Math.floor(free / 2 ** 20) : null;
}

/** A sentence for whoever runs the machine; null where there is room. */
export async function fullDiskText(folder: string): Promise<string | null> {
  const left_mb = await tooLittleRoom(folder);
  if (left_mb === null) return null;
  const least_mb = LEAST_FREE_bytes / 2 ** 20;
  return `The disk of ${folder} is full: ${left_mb} MB are left, and Parley needs ${least_mb} MB to store anything. Make room there.`;
}
