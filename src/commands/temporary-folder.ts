import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { unwritable } from "../base/errors.ts";

/** A new, empty folder; the caller deletes it. Throws a Fault that names TMPDIR if it can't be made. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = path.join(tmpdir(), `parley-${name}`);
  return mkdtemp(`${folder}-`).catch((error) => {
    throw unwritable(`${folder} (TMPDIR)`, error);
  });
}
