import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const SYSTEM_CHROMIUM = "/usr/bin/chromium";
/** A container's root has no sandbox to give; the rest keeps the browser from talking to the world by itself. */
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Pages of one context run in one process, which compiles the scripts once.
  "--process-per-site",
  // Compiling and collecting on threads beside saves a person's time where cores idle; here it costs a twentieth.
  "--js-flags=--single-threaded --min-semi-space-size=16",
];

/** A real browser: the machine's own, else the one npm brings. */
export async function launchChromium(more: string[] = []): Promise<Browser> {
  const args = [...ARGS, ...more];
  if (existsSync(SYSTEM_CHROMIUM)) return chromium.launch({ executablePath: SYSTEM_CHROMIUM, args });
  const folder = await unpackChromium();
  // Without the arguments it proposes: one process dies with its first page, and web security is what tests look at.
  return chromium.launch({
    executablePath: path.join(folder, "chromium"),
    args,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: path.join(folder, "al2023", "lib"),
      FONTCONFIG_PATH: path.join(folder, "fonts"),
    },
  });
}

const MODULES = path.resolve(import.meta.dirname, "../../node_modules");
const CACHE = path.join(MODULES, ".cache/parley-chromium");

/**
 * Resolves with the folder that holds the browser of npm, unpacked once a version. Test files start side by side, and
 * the package takes a file that another process is still writing for whole: each unpacks into a folder of its own, and
 * whoever is first gives it the name.
 */
async function unpackChromium(): Promise<string> {
  const manifest = path.join(MODULES, "@sparticuz/chromium/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const folder = path.join(CACHE, version);
  if (!existsSync(folder)) await unpackTo(folder);
  await nameFonts(folder);
  return folder;
}

async function unpackTo(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const own = await mkdtemp(`${folder}.`);
  try {
    const program = path.join(import.meta.dirname, "chromium-unpack.ts");
    await promisify(execFile)(process.execPath, [program], { env: { ...process.env, TMPDIR: own } });
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Tells the browser where its fonts are. The package's own file names a folder that is not there; without fonts the browser
 * hangs for a minute and dies with its first page. Packages may have been copied from another folder, so the file is
 * compared each time.
 */
async function nameFonts(folder: string): Promise<void> {
  const file = path.join(folder, "fonts/fonts.conf");
  const wanted = fontConfiguration(folder);
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) return;
  const own = `${file}.${process.pid}`;
  await writeFile(own, wanted);
  await rename(own, file);
}

function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path.join(folder, "fonts/fonts")}</dir>
  <cachedir>${path.join(folder, "fonts-cache")}</cachedir>
</fontconfig>
`;
}
