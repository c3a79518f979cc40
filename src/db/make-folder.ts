import { mkdir, stat } from "node:fs/promises";
import path from "node:path";

/**
 * With those above it, for its owner alone unless a mode is given. Node.js's own `recursive` never ends where a folder that
 * is there says it is not, such as below /proc or in one that was deleted meanwhile.
 */
export async function makeFolder(folder: string, mode = 0o700, tries = 2): Promise<void> {
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(folder)).isDirectory()) return;
    if (code !== "ENOENT" || tries === 1) throw error;
    await makeFolder(path.dirname(path.resolve(folder)), mode);
    await makeFolder(folder, mode, 1);
  }
}
