import { rename, rm, writeFile } from "node:fs/promises";
import { randomBase62 } from "../base/ids.ts";

/**
 * Writes a file under a name that nobody finds half of it by. Of two that write the same one at once, each writes a
 * temporary file, and the last one replaces the other's.
 */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const part = `${file}.${randomBase62(8)}.part`;
  try {
    await writeFile(part, bytes, { mode: 0o600 });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}
