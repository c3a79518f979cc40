import { access, constants, stat } from "node:fs/promises";
import path from "node:path";
import { unwritable } from "../../base/errors.ts";

/** Refuses a file that a command could not write once its work is done. It makes none: one that is there at the end is whole. */
export async function requireWritable(file: string): Promise<void> {
  try {
    const there = await stat(file).catch(() => null);
    if (there?.isDirectory()) throw Object.assign(new Error("is a folder"), { code: "EISDIR" });
    // "/." asks for a folder: a file of that name holds none.
    await access(there ? file : `${path.dirname(file)}/.`, constants.W_OK);
  } catch (error) {
    throw unwritable(file, error);
  }
}
