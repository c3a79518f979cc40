import { vi } from "vitest";
import { commandLine } from "../../src/commands/command-line.ts";
import { bareEnvironment } from "../harness/start-program.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** What the runner of the tests needs itself. */
const KEPT = /^(VITEST|NODE_|TEST$)/;

/**
 * A command that is refused before it opens a database, in this process: the same command line, settings and folder as a
 * program of its own would have, without the second that one takes to begin. One at a time.
 */
export async function typedHere(
  args: string[],
  { folder, env = {} }: { folder: string; env?: Record<string, string> },
) {
  const before = { folder: process.cwd(), env: { ...process.env } };
  const listeners = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  let [stdout, stderr] = ["", ""];
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += text;
    return true;
  });
  const err = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  process.chdir(folder);
  setEnvironment(bareEnvironment(env));
  try {
    const code = await commandLine(args);
    return { code, stdout, stderr };
  } finally {
    out.mockRestore();
    err.mockRestore();
    setEnvironment(before.env);
    process.chdir(before.folder);
    for (const [signal, known] of listeners) {
      for (const listener of process.listeners(signal)) {
        if (!known.includes(listener)) process.off(signal, listener);
      }
    }
  }
}

function setEnvironment(wanted: Record<string, string | undefined>): void {
  for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name];
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) process.env[name] = value;
}
