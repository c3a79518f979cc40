import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "vite";

/**
 * Bundles the console into the folder that is its argument, each file also compressed. A process of its own: the
 * bundler's memory goes with it, and the server answers meanwhile.
 */
const SOURCES = path.resolve(import.meta.dirname, "../console");
/** The highest saves 7 % and takes several times as long: for what every visit loads first, which is a third of all. */
const BROTLI = { first: 11, others: 9 };
/** Below this a header costs more than compressing saves. */
const WORTH_COMPRESSING_bytes = 1024;

async function bundle(folder: string): Promise<void> {
  await build({
    configFile: path.join(SOURCES, "vite.config.ts"),
    configLoader: "native",
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true },
  });
  const assets = path.join(folder, "assets");
  const page = await readFile(path.join(folder, "index.html"), "utf8");
  await Promise.all(
    (await readdir(assets)).map((name) =>
      compress(path.join(assets, name), page.includes(name) ? BROTLI.first : BROTLI.others),
    ),
  );
}

async function compress(file: string, quality: number): Promise<void> {
  const content = await readFile(file);
  if (content.length < WORTH_COMPRESSING_bytes) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("a folder to write to is missing");
try {
  await bundle(folder);
} catch (error) {
  await rm(folder, { recursive: true, force: true });
  throw error;
}
