import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { errorText } from "../../base/errors.ts";
import type { Ear, Heard, Hearing, ListeningFor } from "../hearing.ts";
import type { EarAsked, EarFiles, EarTold } from "./ear-worker.ts";
import type { HearingModel } from "./speech-models.ts";
import type { SphinxFiles } from "./sphinx.ts";

/**
 * The ear that needs no network and no key. It always detects when somebody speaks. Words it recognizes in the languages that
 * it has a model for (`./parley speech-model`, SPEECH_MODELS), else in English where PocketSphinx is installed (`sphinx`),
 * which is labelled as a stand-in wherever it is offered.
 */
export type LocalHearing = Hearing & {
  understands: boolean;
  /** Tells when somebody speaks, and no words: beside a provider's recognition. */
  openVoiceDetection(tell: (heard: Heard) => void): Ear;
  /** Resolves once everything that was pushed so far is heard, and told; or the engine has failed, which is told, too. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
};

const END_MS = 2_000;

/**
 * Asked, not terminated: a thread that is stopped within the voice detection's native code takes the whole process with it.
 * One that does not end is left to itself; it keeps nobody from exiting.
 */
async function endThread(thread: Worker): Promise<void> {
  const gone = once(thread, "exit");
  thread.postMessage({ ask: "end" } satisfies EarAsked);
  const late = new AbortController();
  await Promise.race([gone, sleep(END_MS, undefined, { signal: late.signal })]);
  late.abort();
}

export function createLocalHearing({
  sphinx,
  models = [],
}: {
  sphinx: SphinxFiles | null;
  models?: readonly HearingModel[];
}): LocalHearing {
  const understands = sphinx !== null || models.length > 0;
  const ears = new Map<number, (heard: Heard) => void>();
  const catchingUp = new Map<number, () => void>();
  let worker: Worker | null = null;
  let last = 0;

  const thread = (): Worker => {
    if (worker) return worker;
    const started = new Worker(new URL("ear-worker.ts", import.meta.url), {
      workerData: { sphinx, models } satisfies EarFiles,
      env: {},
    });
    started.unref();
    started.on("message", (told: EarTold) => {
      if ("heard" in told) return ears.get(told.ear)?.(told.heard);
      catchingUp.get(told.caught_up)?.();
      catchingUp.delete(told.caught_up);
    });
    started.on("error", (error) => lose(started, errorText(error)));
    started.on("exit", () => lose(started, "its thread ended"));
    worker = started;
    return started;
  };

  /** Who listened is told; the next line gets a new thread. */
  const lose = (ended: Worker, why: string) => {
    if (worker !== ended) return;
    worker = null;
    const deaf = [...ears.values()];
    ears.clear();
    releaseWaiting();
    for (const tell of deaf) tell({ type: "fault", message: `The offline ear failed: ${why}` });
  };

  const releaseWaiting = () => {
    for (const done of catchingUp.values()) done();
    catchingUp.clear();
  };

  const open = (listening: ListeningFor, recognizes: boolean, tell: (heard: Heard) => void): Ear => {
    const ear = ++last;
    ears.set(ear, tell);
    const ask = (asked: EarAsked) => {
      if (ears.has(ear)) thread().postMessage(asked);
    };
    ask({ ear, ask: "open", listening, recognizes });
    return {
      push: (frame) => ask({ ear, ask: "push", frame }),
      close: () => {
        ask({ ear, ask: "close" });
        ears.delete(ear);
      },
    };
  };

  return {
    name: models[0] ? `sherpa-onnx: ${path.basename(models[0].folder)}` : "PocketSphinx (offline stand-in)",
    minute_usd: 0,
    understands,
    open: (listening, tell) => open(listening, understands, tell),
    openVoiceDetection: (tell) => open({ language: "en-US", expected: [] }, false, tell),
    caughtUp: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const number = ++last;
      catchingUp.set(number, resolve);
      thread().postMessage({ ask: "catch_up", number } satisfies EarAsked);
      return promise;
    },
    close: async () => {
      const ending = worker;
      worker = null;
      ears.clear();
      releaseWaiting();
      if (ending) await endThread(ending);
    },
  };
}
