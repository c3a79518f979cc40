import { Worker } from "node:worker_threads";
import { Fault } from "./errors.ts";
import type { WorkerAnswer, WorkerFunctions, WorkerRequest } from "./worker-work.ts";

/*
 * Work on what strangers send runs in threads of its own: a parser that takes minutes over a few megabytes holds up its
 * own thread, and not everybody. A thread that takes too long or too much memory is ended with what it was doing.
 */

export type PoolLimits = {
  threads: number;
  /** Processor time of one piece of work. On a busy machine an honest one takes longer by the clock, and is not given up. */
  cpu_ms: number;
  /** By the clock: after this, the machine is too busy, and the caller may come again. */
  wall_ms: number;
  /** Of a thread's JavaScript objects. Bytes of buffers don't count, and are bounded by what is handed in. */
  memory_mb: number;
  /** Further work is refused, to be brought again later. */
  most_waiting: number;
};

/** The work took too much or failed: with the same input it would again. */
export class WorkGivenUp extends Error {
  readonly reason: "time" | "memory" | "failed";

  constructor(reason: WorkGivenUp["reason"], message: string) {
    super(message);
    this.name = "WorkGivenUp";
    this.reason = reason;
  }
}

type WorkerPool<W extends WorkerFunctions> = {
  /** Rejects with `WorkGivenUp`, or with a Fault "unavailable" where there is no room now. */
  run<Name extends keyof W & string>(
    name: Name,
    ...given: Parameters<W[Name]>
  ): Promise<Awaited<ReturnType<W[Name]>>>;
  close(): Promise<void>;
};

type PooledTask = {
  asked: WorkerRequest;
  resolve(value: unknown): void;
  reject(error: Error): void;
};

/** A place for one thread: a thread begins with the first work for it, and another takes its place where it was ended. */
type Slot = { worker: Worker | null; task: PooledTask | null; timer: NodeJS.Timeout | null };

const CHECK_MS = 250;

/** `file`: a module that calls `serveWork` with the functions that can be run. */
export function createWorkerPool<W extends WorkerFunctions>(file: URL, limits: PoolLimits): WorkerPool<W> {
  const slots: Slot[] = Array.from({ length: limits.threads }, () => ({
    worker: null,
    task: null,
    timer: null,
  }));
  const waiting: PooledTask[] = [];
  let isClosed = false;

  const next = (slot: Slot): void => {
    const task = isClosed ? undefined : waiting.shift();
    if (task) begin(slot, task);
    else slot.worker?.unref();
  };

  /** Takes the task off its thread; null where it was settled before. */
  const take = (slot: Slot, worker: Worker): PooledTask | null => {
    const { task } = slot;
    if (slot.worker !== worker || !task) return null;
    slot.task = null;
    if (slot.timer) clearInterval(slot.timer);
    slot.timer = null;
    return task;
  };

  const end = (slot: Slot, worker: Worker, error: Error): void => {
    const task = take(slot, worker);
    if (slot.worker === worker) slot.worker = null;
    void worker.terminate();
    if (!task) return;
    task.reject(error);
    next(slot);
  };

  const startThread = (slot: Slot): Worker => {
    const worker = new Worker(file, {
      // What it works on is hostile: it is given no settings and no secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: limits.memory_mb },
    });
    slot.worker = worker;
    worker.on("message", (answered: WorkerAnswer) => {
      if (answered.kind === "begun") return watch(slot, worker);
      const task = take(slot, worker);
      if (!task) return;
      if (answered.kind === "done") task.resolve(answered.value);
      else task.reject(new WorkGivenUp("failed", answered.why));
      next(slot);
    });
    worker.on("error", (error: Error & { code?: string }) => {
      // A thread that never came to the work says nothing about it.
      if (slot.timer === null) return end(slot, worker, busy());
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      const why = isMemory ? `it takes more than ${limits.memory_mb} MB of memory` : error.message;
      end(slot, worker, new WorkGivenUp(isMemory ? "memory" : "failed", why));
    });
    worker.on("exit", () => end(slot, worker, new WorkGivenUp("failed", "its thread ended")));
    return worker;
  };

  /** Loading the thread's modules is no part of the work: its time begins when it says so. */
  const watch = (slot: Slot, worker: Worker): void => {
    const { task } = slot;
    // It was ended while it said so.
    if (slot.worker !== worker || !task) return;
    const began = performance.now();
    const before = worker.cpuUsage();
    let asked_at: number | null = null;
    const check = async () => {
      if (slot.task !== task) return;
      const now = performance.now();
      // A thread that does not even tell its time is inside one long step.
      const isStuck = asked_at !== null && now - asked_at > limits.cpu_ms;
      if (isStuck || now - began > limits.wall_ms) return end(slot, worker, isStuck ? tooLong() : busy());
      if (asked_at !== null) return;
      asked_at = now;
      const used = await worker.cpuUsage(await before);
      asked_at = null;
      if (slot.task === task && (used.user + used.system) / 1000 > limits.cpu_ms) {
        end(slot, worker, tooLong());
      }
    };
    // A thread that has ended tells no time; whoever ended it has settled its task.
    slot.timer = setInterval(() => void check().catch(() => {}), Math.min(CHECK_MS, limits.cpu_ms));
    before.catch(() => {});
  };

  const tooLong = () =>
    new WorkGivenUp("time", `it takes more than ${limits.cpu_ms / 1000} s of processor time`);

  const begin = (slot: Slot, task: PooledTask): void => {
    slot.task = task;
    const worker = slot.worker ?? startThread(slot);
    worker.ref();
    worker.postMessage(task.asked);
  };

  return {
    run(name, ...given) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const task: PooledTask = { asked: { name, given }, resolve, reject };
      const free = slots.find((slot) => slot.worker && !slot.task) ?? slots.find((slot) => !slot.task);
      if (isClosed) reject(busy());
      else if (free) begin(free, task);
      else if (waiting.length < limits.most_waiting) waiting.push(task);
      else reject(busy());
      return promise as Promise<never>;
    },

    async close() {
      isClosed = true;
      for (const task of waiting.splice(0)) task.reject(busy());
      await Promise.all(
        slots.map(async (slot) => {
          const { worker } = slot;
          if (!worker) return;
          const task = take(slot, worker);
          slot.worker = null;
          await worker.terminate();
          task?.reject(busy());
        }),
      );
    },
  };
}

const busy = () => new Fault("unavailable", "Too much work at once; try again later.", { retry_after_s: 30 });
