import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** The account PostgreSQL runs under when we are root, which it refuses to be. */
export type DatabaseUser = { uid: number; gid: number };

/**
 * An open folder that PostgreSQL works in.
 *
 * On Linux neither side names it by its path: the child inherits the folder as descriptor 3 and says
 * `/proc/self/fd/3`, and we reach its socket through our own descriptor. Such a link needs no permission on the
 * folders above it, so a data directory below root's 0700 home serves an unprivileged PostgreSQL, and a long path
 * does not break the 107 bytes a socket's address may have. Elsewhere both use the plain path.
 */
export type OpenFolder = { fd: number; fromChild: string; fromHere: string };

const INHERITED_FD = 3;

export const openFolderNames = (fd: number, path: string): OpenFolder =>
  process.platform === "linux"
    ? { fd, fromChild: `/proc/self/fd/${INHERITED_FD}`, fromHere: `/proc/self/fd/${fd}` }
    : { fd, fromChild: path, fromHere: path };

/** A program that ends when this process does, however this process ends. */
export type TetheredProcess = {
  /** Settles with a sentence about how it ended; never rejects. */
  exited: Promise<string>;
  hasExited(): boolean;
  succeeded(): boolean;
  /** Asks it to end (SIGINT: PostgreSQL's fast shutdown), as our own death would. */
  release(): void;
  kill(): void;
};

/**
 * Holds our pipe on descriptor 4 and sends SIGINT once it closes, which kill -9 of this process does too. SIGINT is
 * repeated, since PostgreSQL is deaf to it until its handlers stand. Signals meant for us are ignored: the order of an
 * orderly stop is ours to decide. PostgreSQL itself does hear a SIGTERM that a service manager sends to all processes,
 * which is why our unit for systemd has KillMode=mixed.
 */
const TETHER = `
trap '' HUP INT TERM
exec 4<&0
"$@" </dev/null 4<&- &
server=$!
{ read -r _; while kill -INT "$server"; do sleep 1; done; } <&4 2>/dev/null &
watcher=$!
exec 4<&-
wait "$server"
status=$?
kill -KILL "$watcher" 2>/dev/null
exit "$status"
`;

export function spawnTethered(
  program: string,
  args: string[],
  options: { folder: OpenFolder; user: DatabaseUser | undefined; output: number },
): TetheredProcess {
  const child: ChildProcess = spawn("/bin/sh", ["-c", TETHER, "parley-postgres", program, ...args], {
    // Its own session: Ctrl-C in a terminal reaches us only.
    detached: true,
    cwd: "/",
    stdio: ["pipe", options.output, options.output, options.folder.fd],
    // Lets PostgreSQL see through a stale postmaster.pid that names our own pid, as happens in containers.
    env: { PATH: "/usr/bin:/bin", PG_GRANDPARENT_PID: String(process.pid) },
    ...(options.user && { uid: options.user.uid, gid: options.user.gid }),
  });
  // The other end may be gone when we close ours.
  child.stdin?.on("error", () => {});

  let ending: string | undefined;
  let code: number | null = null;
  const exited = new Promise<string>((resolve) => {
    const end = (how: string) => {
      ending ??= how;
      // A wrapper killed alone leaves its server to the watcher, who waits for this.
      child.stdin?.destroy();
      resolve(ending);
    };
    child.once("error", (error) => end(`could not be started: ${error.message}`));
    child.once("exit", (status, signal) => {
      code = status;
      end(signal ? `was ended by ${signal}` : `ended with status ${status}`);
    });
  });

  return {
    exited,
    hasExited: () => ending !== undefined,
    succeeded: () => code === 0,
    release: () => child.stdin?.destroy(),
    kill() {
      if (child.pid === undefined || ending !== undefined) return;
      signal(-child.pid, "SIGKILL");
    },
  };
}

/** True when the signal could be sent; a process that is gone, or was never ours, is no error. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a process runs; one that is dead but not yet collected by its parent does not. */
export function isAlive(pid: number): boolean {
  if (!signal(pid, 0)) return false;
  if (process.platform !== "linux") return true;
  return processState(pid)?.state !== "Z";
}

/** What Linux tells of a process: `12 (postgres) S …`. */
export function processState(pid: number): { name: string; state: string } | undefined {
  try {
    const [, name, state] = /^\d+ \((.*)\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return name !== undefined && state !== undefined ? { name, state } : undefined;
  } catch {
    return undefined;
  }
}
