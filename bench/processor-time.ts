import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds that processes have used; those that are gone count nothing. */
export const cpuOf = (pids: number[]): number => ticksOf(pids, USED) * (1000 / TICKS_A_SECOND);

/** The same of a process and all its children, those that are gone too: a connection's process ends with it. */
export const cpuOfFamily = (parent: number): number =>
  cpuOf(childrenOf(parent)) + ticksOf([parent], USED_BY_GONE_CHILDREN) * (1000 / TICKS_A_SECOND);

/** Places after the name in /proc/…/stat: in the program and in the kernel (proc_pid_stat(5)). */
const USED = [11, 12];
const USED_BY_GONE_CHILDREN = [13, 14];

function ticksOf(pids: number[], places: number[]): number {
  let ticks = 0;
  for (const pid of pids)
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      for (const place of places) ticks += Number(fields[place]);
    } catch {
      // Gone meanwhile.
    }
  return ticks;
}
/** As every Linux of these days has it. */
const TICKS_A_SECOND = 100;

const PARENT = /\) \S (\d+)/;
export const parentOf = (pid: number): number =>
  Number(PARENT.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);

export function childrenOf(parent: number): number[] {
  const isChild = (pid: number) => {
    try {
      return parentOf(pid) === parent;
    } catch {
      // Gone meanwhile.
      return false;
    }
  };
  const pids = readdirSync("/proc").map(Number);
  return [parent, ...pids.filter((pid) => pid > 0 && isChild(pid))];
}
