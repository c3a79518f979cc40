import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "vite";
import { readToolOptions } from "./tool-options.ts";

/**
 * Builds `@parley/react` as it is published: one module of everything that it shares with the chat page, and its types.
 */
const USAGE = `./parley react-package [folder]
  builds the package of docs/react.md; into sdk/react/dist when no folder is named`;

const SDK = path.resolve(import.meta.dirname, "../sdk/react");
const BUILT = path.join(SDK, "dist");
const MODULE = "parley-react.js";
const TSC = path.resolve(import.meta.dirname, "../node_modules/typescript/bin/tsc");

export async function buildReactPackage(folder = BUILT): Promise<void> {
  await build({
    configFile: false,
    root: SDK,
    logLevel: "warn",
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      minify: false,
      lib: {
        entry: path.join(SDK, "use-conversation.ts"),
        formats: ["es"],
        fileName: () => MODULE,
      },
      rolldownOptions: { external: ["react"] },
    },
  });
  await writeTypes(path.join(folder, "types"));
}

/** The compiler's own declarations; that it finds nothing wrong is a part of the build. */
async function writeTypes(folder: string): Promise<void> {
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const root = path.resolve(SDK, "../..");
  try {
    await promisify(execFile)(process.execPath, [
      TSC,
      "-p",
      path.join(SDK, "tsconfig.package.json"),
      "--rootDir",
      root,
      ...options,
    ]);
  } catch (error) {
    throw new Error(`The types can't be written: ${(error as { stdout: string }).stdout}`);
  }
}

/** What else a folder holds would be removed. */
const isReplaceable = (folder: string): boolean =>
  !existsSync(folder) || readdirSync(folder).length === 0 || existsSync(path.join(folder, MODULE));

if (import.meta.main) {
  const { positionals } = readToolOptions(USAGE, {}, { allowPositionals: true });
  const folder = path.resolve(positionals[0] ?? BUILT);
  if (!isReplaceable(folder)) {
    process.stderr.write(`parley react-package: ${folder} is not empty and holds no earlier build.\n`);
    process.exit(2);
  }
  await buildReactPackage(folder);
}
