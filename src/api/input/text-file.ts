import { readFile } from "node:fs/promises";

/** A text file that somebody at a terminal named, without a byte order mark. Rejects what is not UTF-8: it would be stored as `�`. */
export const readTextFile = async (file: string): Promise<string> =>
  new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
