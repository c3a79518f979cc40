import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { processesIn, until } from "../database/programs.ts";
import { temporaryFolder } from "../harness/postgres.ts";
import { bareEnvironment, type Greeting, greetingIn, MAIN } from "../harness/start-program.ts";
import { WAITING } from "../harness/waiting.ts";

/** The program as a person starts it: `src/main.ts` in a process, a folder and an environment of its own. */
export type Program = {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves with how it ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves with what the ready text says. */
  ready(): Promise<Greeting>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/** In memory where there is plenty: a kill of processes loses nothing there either. Named for the sweep of killed runs. */
const base = path.join(temporaryFolder(), `parley-test-${process.pid}`);
const running = new Set<ChildProcess>();

/** Those that stay until the file is done. */
const kept = new Set<ChildProcess>();
const killed = async (which: () => ChildProcess[]) => {
  for (const child of which()) child.kill("SIGKILL");
  await until(() => which().length === 0);
};

/** After each test (set-up-programs.ts). */
export const endPrograms = (): Promise<void> =>
  killed(() => [...running].filter((child) => !kept.has(child)));

/** After each file. */
export async function endAllPrograms(): Promise<void> {
  await killed(() => [...running]);
  kept.clear();
  const used = folders.splice(0);
  await until(() => used.every((folder) => processesIn(postgresOf(folder)).length === 0));
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}

const folders: string[] = [];

/** A working folder; the data directory `data` below it is not there yet. */
export function newFolder(): string {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  folders.push(mkdtempSync(path.join(base, "home-")));
  return folders.at(-1) as string;
}

/** A copy of a folder whose first start lies behind it (and was stopped), and what that start told. */
export async function usedFolder(): Promise<{ folder: string; greeting: Greeting }> {
  const first = await firstStart();
  const folder = newFolder();
  cpSync(first, folder, { recursive: true, preserveTimestamps: true });
  return { folder, greeting: JSON.parse(readFileSync(greetingOf(first), "utf8")) };
}

const greetingOf = (first: string) => `${first}.json`;

/**
 * One for all files of a run, which share their temporary folder: made by whichever asks first. A file whose tests do much
 * besides asks for it in `beforeAll`, as it takes long on a busy machine.
 */
export async function firstStart(): Promise<string> {
  const first = path.join(tmpdir(), "first-start");
  for (;;) {
    if (existsSync(greetingOf(first))) return first;
    if (isMadeByUs(first)) break;
    await sleep(50);
  }
  try {
    const program = parley(["start"], { folder: first });
    const greeting = await program.ready();
    await program.end("SIGTERM");
    writeFileSync(`${first}.new`, JSON.stringify(greeting));
    renameSync(`${first}.new`, greetingOf(first));
    return first;
  } catch (error) {
    // Whoever asks next tries again.
    rmSync(first, { recursive: true, force: true });
    throw error;
  }
}

/** False where another file makes it at this moment. */
function isMadeByUs(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

export const postgresOf = (folder: string): string => path.join(folder, "data", "postgres");

/** `through` is the words of a command that becomes the program, such as `nice`. */
type Around = { folder: string; env?: Record<string, string>; input?: string; through?: string[] };

export const parley = (args: string[], around: Around): Program => parleyIn(MAIN, args, around);

/** Another copy of the program. */
export function parleyIn(main: string, args: string[], around: Around): Program {
  const { folder, env = {}, input, through = [] } = around;
  const [command = "", ...words] = [...through, process.execPath, main, ...args];
  const child = spawn(command, words, {
    cwd: folder,
    env: bareEnvironment(env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => {});
  if (input !== undefined) child.stdin.end(input);
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    ready() {
      // Until it ends, which it does with the test at the latest: a start takes 1 s, and on a busy machine a minute.
      return until(() => {
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`it ended (${child.exitCode ?? child.signalCode}): ${stderr}`);
        }
        return greetingIn(stdout);
      }, Number.POSITIVE_INFINITY);
    },
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** A program that runs until the file's tests are done, for tests that only ask it. */
export function parleyForFile(...given: Parameters<typeof parley>): Program {
  const program = parley(...given);
  kept.add(program.child);
  return program;
}

/** A command that ends by itself. */
export async function run(...given: Parameters<typeof parley>) {
  const program = parley(...given);
  const { code } = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

export { processesIn, until };

/** Something that is not Parley and answers every request with a page. Resolves with its port. */
export async function otherProgram(status: number): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end("<html>"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test expects it to be
export type Answer = { status: number; body: any; headers: Headers };

export async function send(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(WAITING.timeout),
  });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json");
  return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
}
