import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { buildConsole } from "../src/api/console-build.ts";

/**
 * Writes the program as a container's image holds it into a new folder: its sources without tests, the bundled console, and
 * the packages that the server loads. The Dockerfile runs this, and so does the suite, on machines that have no containers.
 *
 *   node scripts/image.ts FOLDER
 */
const ROOT = path.resolve(import.meta.dirname, "..");
/** What an image holds of the tree, but the console's sources: it has the bundle. */
const KEPT = [
  "parley",
  "package.json",
  "package-lock.json",
  "openapi.json",
  "LICENSE",
  "public",
  "src",
  "docs",
];
/** Bundles the console before a start. */
const BUNDLER = "src/api/console-bundle.ts";
const CONSOLE = "src/console";
/**
 * What the server loads nothing of, beside what `./parley --trim` leaves out everywhere: what the bundler of the console
 * reads, and what runs on another C library.
 */
const LEFT_OUT = ["dayjs/{esm,locale}", "@koromix/*/musl_*"];

type LockedPackage = {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
type Lock = { packages: Record<string, LockedPackage> };

/** `linked`: packages are hard links, for a test on the same disk; Node.js then keeps its names for debuggers. */
export async function writeImage(folder: string, { linked = false } = {}): Promise<void> {
  if (existsSync(folder)) throw new Error(`${folder} exists. Name a folder that doesn't.`);
  mkdirSync(folder, { recursive: true });
  for (const name of KEPT) copy(name, folder);
  const lock = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8")) as Lock;
  const packages = packagesOfServer(lock);
  execFileSync("cp", ["-a", "--parents", ...(linked ? ["-l"] : []), ...packages, folder], { cwd: ROOT });
  cpSync(path.join(ROOT, "package-lock.json"), path.join(folder, "node_modules/.parley-lock"));
  const modules = path.join(folder, "node_modules");
  execFileSync("sh", [path.join(ROOT, "parley"), "--trim", modules]);
  for (const name of globSync(LEFT_OUT, { cwd: modules }))
    rmSync(path.join(modules, name), { recursive: true, force: true });
  if (!linked) stripNode(folder);

  const bundle = await buildConsole({ dataDir: path.join(ROOT, "data") });
  const home = path.join(folder, "node_modules/.cache/parley-console");
  mkdirSync(home, { recursive: true });
  cpSync(bundle, path.join(home, path.basename(bundle)), { recursive: true });
}

/** Folders of packages, from the root, that are installed here and that code of the server loads, or something they need. */
function packagesOfServer(lock: Lock): string[] {
  const root = lock.packages[""] ?? {};
  const server = textOfServer();
  const named = Object.keys(root.dependencies ?? {}).filter((name) => isLoaded(name, server));
  const found = new Set<string>();
  const add = (name: string, from: string) => {
    const at = resolve(name, from, lock);
    if (!at || found.has(at) || !existsSync(path.join(ROOT, at))) return;
    found.add(at);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      lock.packages[at] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => !peerDependenciesMeta?.[peer]?.optional,
    );
    for (const needed of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      add(needed, at);
  };
  for (const name of [...named, ...Object.keys(root.optionalDependencies ?? {})]) add(name, "");
  return [...found].sort();
}

/** Where Node.js finds a package of this name: beside the one that asks, or further up. */
function resolve(name: string, from: string, { packages }: Lock): string | undefined {
  const inside = from ? `${from}/node_modules/${name}` : `node_modules/${name}`;
  if (packages[inside]) return inside;
  if (!from) return undefined;
  const up = from.lastIndexOf("/node_modules/");
  return resolve(name, up === -1 ? "" : from.slice(0, up), { packages });
}

const isLoaded = (name: string, server: string) =>
  server.includes(`"${name}"`) || server.includes(`"${name}/`);

function textOfServer(): string {
  return readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && isOfServer(`src/${name}`))
    .map((name) => readFileSync(path.join(ROOT, "src", name), "utf8"))
    .join("\n");
}

const isOfServer = (name: string) =>
  !name.startsWith(`${CONSOLE}/`) && !name.includes(".test.") && name !== BUNDLER;

function copy(name: string, folder: string): void {
  cpSync(path.join(ROOT, name), path.join(folder, name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.includes(".test.") && !isLeftOut(path.relative(ROOT, file)),
  });
}

/** Names of functions for debuggers are a fifth of Node.js; they stay where the machine has no `strip`. */
function stripNode(folder: string): void {
  for (const name of readdirSync(path.join(folder, "node_modules")).filter((each) =>
    each.startsWith("node-"),
  )) {
    spawnSync("strip", [path.join(folder, "node_modules", name, "bin/node")], { stdio: "ignore" });
  }
}

const isLeftOut = (name: string) =>
  name === CONSOLE || /^docs\/(pictures|images|sounds|decisions)(\/|$)/.test(name);

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (!folder) {
    process.stderr.write("Name the folder to write: node scripts/image.ts FOLDER\n");
    process.exit(2);
  }
  await writeImage(path.resolve(folder));
}
