import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, constants, mkdir, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { errorText, Fault } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";

/**
 * The console is bundled once on each machine, when its sources or the lock file have changed, and kept under their
 * hash. Nothing generated is in git, and a program started from a clone needs no build step. A container's image has the
 * bundle in place of the sources.
 */
const ROOT = path.resolve(import.meta.dirname, "../..");
const SOURCES = path.join(ROOT, "src/console");
const SHARED = path.join(ROOT, "node_modules/.cache/parley-console");
/** The console's styles take it in. */
const TYPEFACE = path.join(ROOT, "public/home/typeface.css");
const BUNDLER = path.join(import.meta.dirname, "console-bundle.ts");
/** Bundles of other versions that stay, so that going back and forth between two is quick. */
const KEPT = 3;

type Options = {
  /** Where bundles go when `node_modules` belongs to somebody else. */
  dataDir: string;
  /** Told once, and only when there is something to wait for. */
  onBuild?(): void;
  /** Ends a bundler that is at work. */
  signal?: AbortSignal;
};

/** Resolves with the folder of the bundle; throws a Fault that says what is in the way. */
export async function buildConsole({ dataDir, onBuild, signal }: Options): Promise<string> {
  if (!existsSync(SOURCES)) return bundleOfImage();
  const hash = await hashOfSources();
  // Also where we may only read: a program that root started has stepped down.
  const ready = path.join(SHARED, hash);
  const home = existsSync(ready) ? SHARED : await cacheFolder(dataDir);
  const folder = path.join(home, hash);
  if (existsSync(folder)) {
    const now = new Date();
    await utimes(folder, now, now).catch(() => {});
    return folder;
  }
  onBuild?.();
  // Two programs may build at once: each in a folder of its own, and whoever is first gives it the name.
  const own = `${folder}.${randomBase62(8)}`;
  await runBundler(own, signal);
  try {
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  await forgetOld(home);
  return folder;
}

async function bundleOfImage(): Promise<string> {
  const [only] = await readdir(SHARED).catch(() => []);
  if (!only)
    throw new Fault(
      "unavailable",
      `The console has neither sources (${SOURCES}) nor a bundle (${SHARED}). Copy the folders of Parley again, whole.`,
    );
  return path.join(SHARED, only);
}

async function cacheFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(SHARED, { recursive: true });
    await access(SHARED, constants.W_OK);
    return SHARED;
  } catch {
    const own = path.join(path.resolve(dataDir), "console");
    await mkdir(own, { recursive: true });
    return own;
  }
}

async function hashOfSources(): Promise<string> {
  const hash = createHash("sha256");
  const files = (await readdir(SOURCES, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of [BUNDLER, TYPEFACE, path.join(ROOT, "package-lock.json"), ...files]) {
    hash.update(`${path.relative(ROOT, file)}\n`).update(await readFile(file));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Bundling runs other people's packages: of our environment, which holds every secret there is, they get these. */
export const bundlerEnvironment = (ours: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    BUNDLER_NEEDS.flatMap((name) => (ours[name] === undefined ? [] : [[name, ours[name]]])),
  ),
  NODE_ENV: "production",
});
const BUNDLER_NEEDS = ["PATH", "TMPDIR", "TEMP", "SYSTEMROOT", "LANG", "TZ"];

async function runBundler(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const child = spawn(process.execPath, [BUNDLER, folder], {
    stdio: ["ignore", "ignore", "pipe"],
    env: bundlerEnvironment(process.env),
    ...(signal && { signal }),
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4000);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  }).catch((error) => {
    said = errorText(error);
    return null;
  });
  if (status !== 0) {
    throw new Fault("unavailable", `The console could not be built: ${said.trim() || `status ${status}`}`);
  }
}

/** Also what a bundler that was killed left behind an hour ago or more. */
async function forgetOld(home: string): Promise<void> {
  const folders = await Promise.all(
    (await readdir(home)).map(async (name) => ({ name, at: (await stat(path.join(home, name))).mtimeMs })),
  ).catch(() => []);
  const bundles = folders.filter(({ name }) => !name.includes(".")).toSorted((a, b) => b.at - a.at);
  const broken = folders.filter(({ name, at }) => name.includes(".") && Date.now() - at > 3_600_000);
  for (const { name } of [...bundles.slice(KEPT), ...broken]) {
    await rm(path.join(home, name), { recursive: true, force: true }).catch(() => {});
  }
}
