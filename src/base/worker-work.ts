import { platform, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { errorText } from "./errors.ts";

// biome-ignore lint/suspicious/noExplicitAny: the arguments are those of each function
export type WorkerFunctions = Record<string, (...given: any[]) => unknown>;

/** What a pool asks a thread to do, and what the thread tells of it. */
export type WorkerRequest = { name: string; given: unknown[] };
export type WorkerAnswer =
  | { kind: "begun" }
  | { kind: "done"; value: unknown }
  | { kind: "failed"; why: string };

/**
 * Called once by a thread's module, with the functions that its pool may run. One runs at a time. `yields`: the main loop
 * goes before; not so where somebody on the telephone waits for the work.
 */
export function serveWork(work: WorkerFunctions, { yields = true } = {}): void {
  const port = parentPort;
  if (!port) throw new Error("this module is the beginning of a worker thread");
  if (yields) yieldToMainLoop();
  const tell = (answered: WorkerAnswer) => port.postMessage(answered);
  port.on("message", async ({ name, given }: WorkerRequest) => {
    tell({ kind: "begun" });
    try {
      tell({ kind: "done", value: await work[name]?.(...given) });
    } catch (error) {
      tell({ kind: "failed", why: errorText(error).slice(0, 500) });
    }
  });
}

/** Of 20 steps towards "only when nobody else wants the processor": a tenth of a main loop's share. */
const NICENESS = 10;

/** What waits here are mails and posts; people talk with the main loop, and on a full machine it goes before. */
function yieldToMainLoop(): void {
  // On Linux a priority is the calling thread's alone; elsewhere it would be the whole program's.
  if (platform() === "linux") setPriority(0, NICENESS);
}
