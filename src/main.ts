import { commandLine } from "./commands/command-line.ts";

// A reader that went away (`| head`) is no error; what was printed for it is not missed.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await commandLine(process.argv.slice(2));
// All is closed by now; a peer's connection that lingers must not keep the program.
setTimeout(() => process.exit(), 500).unref();
