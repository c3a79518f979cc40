import type { Clock } from "../base/clock.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { enqueue, handle, type JobHandler } from "../jobs/define-job.ts";
import { feedNext, finishBackfills } from "./backfill.ts";
import {
  type ClaimedExecution,
  claimExecutions,
  freeExpired,
  giveBack,
  nextDue,
  RENEW_MS,
  renewLeases,
} from "./claim.ts";
import { createRecorder, type Recorder } from "./result-recorder.ts";
import { runExecution } from "./run-execution.ts";
import { resumeInsights, runInsights } from "./run-insights.ts";
import type { ToolRunner } from "./tool-run.ts";
import { loadInsights, loadMaterial, loadTranscripts, type Material } from "./transcript.ts";

export type ExecutorParts = {
  db: Db;
  clock: Clock;
  log: Log;
  runner: ToolRunner;
  /** Names this process in leases. */
  owner: string;
  /** Executions run at once. */
  concurrency: number;
};

/** As long as work is found, a process claims more before it runs dry: this many times what it runs at once. */
const CLAIM_AHEAD = 2;
/** Whoever else works on what is due now is not raced. */
const SOONEST_MS = 1_000;
const WAKE_KEY = "wake-insights";

/** The jobs that run what is queued: at once, at the time of a retry, and every minute for what a dead process left. */
export function insightJobs(parts: ExecutorParts): JobHandler[] {
  const { db, clock } = parts;
  /** One run at a time in a process; what is queued meanwhile it finds by itself. */
  let working: Working | null = null;

  const work = async ({ stopping, abortSignal }: { stopping: AbortSignal; abortSignal: AbortSignal }) => {
    await freeExpired(db, clock.now());
    if (working) {
      working.lookAgain();
    } else {
      // Once more when something was queued while the last was about to end.
      for (let again = true; again && !stopping.aborted; ) {
        const current = new Working(parts, { stopping, cut: abortSignal });
        working = current;
        await current.run().finally(() => {
          again = current.again;
          working = null;
        });
      }
      await wakeLater(parts);
    }
    await db.transaction().execute((tx) => finishBackfills(tx, clock.now()));
  };
  return [
    handle(runInsights, (_, context) => work(context)),
    handle(resumeInsights, (_, context) => work(context)),
  ];
}

/** Leaves a job for when the next execution is due; there is one such job, whoever asks for it. */
async function wakeLater({ db, clock }: ExecutorParts): Promise<void> {
  const next = await nextDue(db);
  if (next === null) return;
  const run_at = new Date(Math.max(next.getTime(), clock.now().getTime() + SOONEST_MS));
  await db.transaction().execute((tx) => enqueue(tx, runInsights, {}, { key: WAKE_KEY, run_at }));
}

type Claimed = { execution: ClaimedExecution; material: Material; lost: AbortController };

/** Claims, feeds and runs until nothing is due. */
class Working {
  readonly #parts: ExecutorParts;
  /** Of this run alone: what an earlier one of this process gave back, it can't store any more. */
  readonly #owner: string;
  readonly #recorder: Recorder;
  readonly #stopping: AbortSignal;
  readonly #cut: AbortSignal;
  /** Claimed here and not over; the first of them run, the others wait for a place. */
  readonly #held = new Map<number, Claimed>();
  #waiting: Claimed[] = [];
  #running = 0;
  /** Something was queued since it last looked. */
  again = false;
  #wake: () => void = () => {};

  constructor(parts: ExecutorParts, { stopping, cut }: { stopping: AbortSignal; cut: AbortSignal }) {
    this.#parts = parts;
    this.#owner = `${parts.owner}/${randomBase62(8)}`;
    this.#recorder = createRecorder(parts.db, this.#owner);
    this.#stopping = stopping;
    this.#cut = cut;
  }

  /** Something was queued: look once more before it ends. */
  lookAgain(): void {
    this.again = true;
    this.#wake();
  }

  async run(): Promise<void> {
    const { db, log } = this.#parts;
    const renewing = setInterval(() => {
      this.#renew().catch((error) =>
        log.warn({ err: error }, "could not renew leases of insight executions"),
      );
    }, RENEW_MS);
    const cutOff = () => {
      for (const { lost } of this.#held.values()) lost.abort();
      this.#wake();
    };
    this.#cut.addEventListener("abort", cutOff);
    this.#stopping.addEventListener("abort", () => this.#wake());
    try {
      while (!this.#stopping.aborted) {
        this.again = false;
        const found = await this.#findWork();
        this.#start();
        if (found || this.again) continue;
        if (this.#running === 0) break;
        await this.#change();
      }
      this.#waiting = [];
      while (this.#running > 0) await this.#change();
    } finally {
      clearInterval(renewing);
      this.#cut.removeEventListener("abort", cutOff);
      // Also after a fault, with some that still run: what they find is no longer theirs to store.
      cutOff();
      await giveBack(db, this.#owner, [...this.#held.keys()]);
    }
  }

  /** Whether there may be more to find at once. */
  async #findWork(): Promise<boolean> {
    const { db, clock, concurrency } = this.#parts;
    if (this.#waiting.length >= concurrency / 2) return false;
    const most = concurrency * CLAIM_AHEAD - this.#held.size;
    if (most < concurrency / 2) return false;
    const claimed = await claimExecutions(db, { owner: this.#owner, now: clock.now(), most });
    if (claimed.length > 0) {
      await this.#take(claimed);
      return claimed.length === most ? false : (await this.#feed()) !== null;
    }
    return (await this.#feed()) !== null;
  }

  #feed(): Promise<number | null> {
    const { db, clock } = this.#parts;
    return db.transaction().execute((tx) => feedNext(tx, clock.now()));
  }

  /** Reads what the claimed will work on. */
  async #take(executions: ClaimedExecution[]): Promise<void> {
    const { db, runner } = this.#parts;
    const sessions = executions.flatMap(({ subject }) =>
      "session_id" in subject ? [subject.session_id] : [],
    );
    const claimed = executions.map((execution) => ({
      execution,
      material: { transcript: [], file: null } as Material,
      lost: new AbortController(),
    }));
    for (const one of claimed) this.#held.set(one.execution.id, one);
    const transcripts = await loadTranscripts(db, sessions);
    for (const one of claimed) {
      const { subject } = one.execution;
      one.material =
        "session_id" in subject
          ? { transcript: transcripts.get(subject.session_id) ?? [], file: null }
          : await loadMaterial(db, runner.recordings, subject);
    }
    this.#waiting.push(...claimed);
  }

  /** Gives the free places to those that wait. */
  #start(): void {
    while (this.#running < this.#parts.concurrency) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      this.#runOne(next).finally(() => {
        this.#running -= 1;
        this.#wake();
      });
    }
  }

  async #runOne({ execution, material, lost }: Claimed): Promise<void> {
    const { db, log } = this.#parts;
    try {
      await runExecution(execution, material, {
        ...this.#parts,
        recorder: this.#recorder,
        signal: lost.signal,
        loadInsights: () => loadInsights(db, execution.subject),
      });
      // What was cut off is given back when all is over.
      if (!this.#cut.aborted) this.#held.delete(execution.id);
    } catch (error) {
      // The database is away: the lease runs out, and the execution is taken up again.
      this.#held.delete(execution.id);
      log.error({ err: error, execution_id: execution.id }, "an insight execution could not be stored");
    }
  }

  /** Resolves when something ended or was queued. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #renew(): Promise<void> {
    const { db, clock } = this.#parts;
    const ids = [...this.#held.keys()];
    const kept = await renewLeases(db, this.#owner, ids, clock.now());
    for (const id of ids) {
      // One that ended while this was asked is no longer among those that are held.
      if (!kept.has(id)) this.#held.get(id)?.lost.abort();
    }
  }
}
