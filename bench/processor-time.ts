import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds that processes have used; those that are gone count nothing. */
export function cpuOf(pids: number[]): number {
  const ticks = pids.map((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, each) => sum + each, 0) * (1000 / TICKS_A_SECOND);
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
