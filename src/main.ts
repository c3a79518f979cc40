import { fstatSync, writeFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";

// Halves the next start: what V8 made of the program's 1,500 files is kept beside its packages, where whoever may write
// may change the program anyway. A user who may not goes without. For threads, too, which go by the environment.
const { directory } = enableCompileCache(path.resolve(import.meta.dirname, "../node_modules/.compiled"));
if (directory) process.env.NODE_COMPILE_CACHE ??= directory;

// A reader that went away (`| head`) is no error; what was printed for it is not missed. A disk without room is one.
let unprinted: string | undefined;
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") unprinted ??= code === "ENOSPC" ? "the disk is full" : message;
});
process.stderr.on("error", () => {});
// Into a file, Node.js leaves out what the system did not take at once, and says nothing.
if (fstatSync(1).isFile())
  process.stdout._write = (part: Buffer, _encoding, done) => {
    try {
      writeFileSync(1, part);
      done();
    } catch (error) {
      done(error as Error);
    }
  };

// Libraries ask for the home folder. A user without a name and without HOME, as in a container that runs as any number, has none.
try {
  homedir();
} catch {
  process.env.HOME = "/";
}

const { commandLine } = await import("./commands/command-line.ts");
process.exitCode = await commandLine(process.argv.slice(2));
// The last write is told of a moment later.
await setImmediate();
if (unprinted !== undefined) {
  process.stderr.write(`parley: The output can't be written: ${unprinted}.\n`);
  process.exitCode ||= 1;
}
// All is closed by now; a peer's connection that lingers must not keep the program.
setTimeout(() => process.exit(), 500).unref();
