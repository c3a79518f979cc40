import type { EventEmitter } from "node:events";
import type { Job as StoredJob, WorkerEvents } from "graphile-worker";
import { atTheirShare } from "../base/fair-gate.ts";

/** The flag of a job's sub-organization; undefined: a job of the installation. */
export const tenantOf = ({ flags }: Pick<StoredJob, "flags">): string | undefined =>
  Object.keys(flags ?? {}).find((flag) => flag.startsWith("tenant:"));

export type Shares = {
  /** The library asks this before each fetch: the flags of sub-organizations that use their whole share of the workers. */
  forbiddenFlags(): Promise<string[]>;
  /** A job has finished and its worker is free. */
  leave(job: Pick<StoredJob, "flags">): void;
};

/**
 * Shares a set of workers among sub-organizations. Fetches run one at a time and are counted, because twenty workers that
 * asked at once would all be told that no sub-organization has a job yet.
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
