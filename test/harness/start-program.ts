import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";

export const MAIN = path.resolve(import.meta.dirname, "../../src/main.ts");

/** What the ready text says; token and link are told by a first start only. */
export type Greeting = { url: string; token: string | undefined; link: string | undefined };

/** Undefined until the program has said that it is ready. */
export function greetingIn(stdout: string): Greeting | undefined {
  const url = /is ready in [\d.]+ s: (\S+)\n[\s\S]*Stop with Ctrl-C/.exec(stdout)?.[1];
  if (url === undefined) return undefined;
  return {
    url,
    token: /API token +(\S+)/.exec(stdout)?.[1],
    link: /sign-in link +(\S+)/.exec(stdout)?.[1],
  };
}
/** What `./parley` gives Node.js. */
const NODE_OPTIONS =
  /^exec "\$node" (.+) "\$root\/src\/main\.ts"/m
    .exec(readFileSync(path.resolve(import.meta.dirname, "../../parley"), "utf8"))?.[1]
    ?.split(" ") ?? [];

/**
 * Names the folder where the programs of a test run keep what they compiled. Vitest's own processes don't: they would write
 * there at their end, while it is removed.
 */
export const COMPILED_FOLDER = "PARLEY_TEST_COMPILED";
const COMPILED = path.resolve(import.meta.dirname, "../../node_modules/.compiled");
export const compiledFolder = (): string => process.env[COMPILED_FOLDER] ?? COMPILED;

/** The environment a program is started with: nothing of ours but where programs are found and temporary files go. */
export const bareEnvironment = (env: Record<string, string> = {}): Record<string, string | undefined> => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  // As `./parley` has it; a run of the tests has a folder of its own.
  NODE_COMPILE_CACHE: compiledFolder(),
  PORT: "0",
  LOG_LEVEL: "warn",
  ...env,
});

export type StartedProgram = {
  greeting: Greeting;
  pid: number;
  /** The code or signal it ended with; null while it runs. */
  ended(): string | null;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
};

/**
 * The program in a process and a folder of its own, for scripts and benchmarks; resolves once it is ready, and throws when
 * it ends before. Its errors go to our own stderr.
 */
export async function startProgram(
  folder: string,
  env: Record<string, string> = {},
): Promise<StartedProgram> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, MAIN, "start"], {
    cwd: folder,
    env: bareEnvironment(env),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let stdout = "";
  const greeting = await new Promise<Greeting>((resolve, reject) => {
    // Read to its end: a program whose reader has gone fails at the next word it says.
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const told = greetingIn(stdout);
      if (told) resolve(told);
    });
    exited.then(([code, signal]) => reject(new Error(`the program ended (${code ?? signal})`)), reject);
  });
  return {
    greeting,
    pid: child.pid as number,
    ended() {
      const end = child.signalCode ?? child.exitCode;
      return end === null ? null : String(end);
    },
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
