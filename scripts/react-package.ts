import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "vite";

/**
 * Builds `@parley/react` as it is published: one module of everything that it shares with the chat page, and its types.
 * Run: ./parley react-package [folder]; the folder is `sdk/react/dist` when left out.
 */
const SDK = path.resolve(import.meta.dirname, "../sdk/react");
const TSC = path.resolve(import.meta.dirname, "../node_modules/typescript/bin/tsc");

export async function buildReactPackage(folder = path.join(SDK, "dist")): Promise<void> {
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
        fileName: () => "parley-react.js",
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

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  await buildReactPackage(folder && path.resolve(folder));
}
