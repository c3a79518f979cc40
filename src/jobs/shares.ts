import type { EventEmitter } from "node:events";
import type { Job as StoredJob, WorkerEvents } from "graphile-worker";
import { atTheirShare } from "../base/fair-gate.ts";

/** The flag of the sub-organization that a job is done for; undefined: for nobody alone. */
export const tenantOf = ({ flags }: Pick<StoredJob, "flags">): string | undefined =>
  Object.keys(flags ?? {}).find((flag) => flag.startsWith("tenant:"));

export type Shares = {
  /** What the library asks before it fetches a job: the flags of those who have their share of the places. */
  forbiddenFlags(): Promise<string[]>;
  /** A job is over, and its place free. */
  leave(job: Pick<StoredJob, "flags">): void;
};

/**
 * The places of a set of workers, shared among sub-organizations. A fetch begins when the one before it has ended, and is
 * counted: twenty workers that asked at once would all be told that nobody has anything yet.
 */
export function createShares(events: WorkerEvents, places: number): Shares {
  const held = new Map<string, number>();
  let last: Promise<void> = Promise.resolve();
  let fetched: () => void = () => {};
  const emitter = events as EventEmitter;
  emitter.on("job:start", ({ job }: { job: StoredJob }) => {
    const tenant = tenantOf(job);
    if (tenant !== undefined) held.set(tenant, (held.get(tenant) ?? 0) + 1);
    fetched();
  });
  for (const ended of ["worker:getJob:empty", "worker:getJob:error"]) emitter.on(ended, () => fetched());
  return {
    async forbiddenFlags() {
      const before = last;
      const mine = Promise.withResolvers<void>();
      last = mine.promise;
      await before;
      fetched = mine.resolve;
      return atTheirShare(held, places);
    },
    leave(job) {
      const tenant = tenantOf(job);
      if (tenant === undefined) return;
      const left = (held.get(tenant) ?? 1) - 1;
      if (left === 0) held.delete(tenant);
      else held.set(tenant, left);
    },
  };
}
