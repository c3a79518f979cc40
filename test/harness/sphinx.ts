import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { findSphinx, type SphinxFiles } from "../../src/speech/local/sphinx.ts";

const run = promisify(execFile);
const CACHE = path.resolve(import.meta.dirname, "../../node_modules/.cache/parley-sphinx");
/** Those a person installs, and what Debian 12 brings with them. */
const PACKAGES = [
  "libpocketsphinx3",
  "pocketsphinx-en-us",
  "libsphinxbase3",
  "libblas3",
  "liblapack3",
  "libgfortran5",
  "libquadmath0",
];

/** The machine's own, else Debian's packages unpacked beside npm's; null, with the reason printed, on machines without apt. */
export async function sphinxFiles(): Promise<SphinxFiles | null> {
  const found = findSphinx(["/", CACHE]);
  if (found) return found;
  try {
    await unpackPackages();
  } catch (error) {
    process.stderr.write(`The offline ear is not tested: ${(error as Error).message.split("\n")[0]}\n`);
    return null;
  }
  return findSphinx([CACHE]);
}

/** Test files start side by side: each unpacks into a folder of its own, and whoever is first gives it the name. */
async function unpackPackages(): Promise<void> {
  await mkdir(path.dirname(CACHE), { recursive: true });
  const own = await mkdtemp(`${CACHE}.`);
  try {
    await run("apt-get", ["download", ...PACKAGES], { cwd: own });
    for (const file of await readdir(own)) {
      if (file.endsWith(".deb")) await run("dpkg-deb", ["-x", file, "."], { cwd: own });
    }
    await rename(own, CACHE);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(CACHE)) throw error;
  }
}
