import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from "node:fs";

/** What PostgreSQL's own programs say, in a file beside the data: our pipe would block them if we were slow. */
export type PostgresLog = {
  path: string;
  fd: number;
  size(): number;
  /** The end of what was said since the file had that size. */
  since(size: number): string;
  close(): void;
};

/** What the log may grow to before a start puts it aside; one such older file is kept. */
const MAX_BYTES = 10_000_000;

export function openPostgresLog(path: string): PostgresLog {
  const found = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (found > MAX_BYTES) renameSync(path, `${path}.1`);
  const fd = openSync(path, "a", 0o600);
  return {
    path,
    fd,
    size: () => fstatSync(fd).size,
    since: (size) => readFileSync(path).subarray(size).toString("utf8").trim().slice(-500),
    close: () => closeSync(fd),
  };
}
