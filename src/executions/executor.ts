import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { publicText } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { isDatabaseAway, patiently } from "../db/database-away.ts";
import type { ToolRunner } from "../insights/tool-run.ts";
import { loadInsights, loadMaterial, loadTranscripts, type Material } from "../insights/transcript.ts";
import { enqueue, handle, type JobHandler } from "../jobs/define-job.ts";
import type { Leases, Moment } from "../jobs/lease.ts";
import { createWorkLoop, type Wait, type WorkLoop } from "../jobs/work-loop.ts";
import { FEED_AHEAD, feedNext, finishBackfills } from "./backfill.ts";
import {
  type ClaimedExecution,
  claimExecutions,
  executionLeases,
  freeExpired,
  giveBack,
  nextDue,
} from "./claim.ts";
import { claimAhead, createPace } from "./claim-ahead.ts";
import { createRecorder, type Recorder } from "./result-recorder.ts";
import { runExecution } from "./run-execution.ts";
import { resumeInsights, runInsights } from "./run-insights.ts";

type ExecutorParts = {
  db: Db;
  clock: Clock;
  log: Log;
  vault: Vault;
  runner: ToolRunner;
  /** The owner of this process's leases. */
  owner: string;
  /** Executions run at once. */
  concurrency: number;
};

/** Delay of the next run while another process holds what is due. */
const SOONEST_MS = 1_000;
const WAKE_KEY = "wake-insights";
const UNTIL_CHANGE: Wait = { wait_ms: null };

/** The jobs that run the queue: at once, at the time of a retry, and every minute for work that a dead process left. */
export function insightJobs(parts: ExecutorParts): JobHandler[] {
  const { db, clock, log } = parts;
  /** One run at a time in a process, which also picks up what is queued meanwhile. */
  let working: Working | null = null;

  const work = async ({ stopping, abortSignal }: { stopping: AbortSignal; abortSignal: AbortSignal }) => {
    await freeExpired(db, log, clock.now());
    if (working) {
      working.lookAgain();
    } else {
      // Runs again when something was queued while the last run was about to end.
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

/** Enqueues a job for the time when the next execution is due; its key keeps it to one such job. */
async function wakeLater({ db, clock }: ExecutorParts): Promise<void> {
  const next = await nextDue(db);
  if (next === null) return;
  const run_at = new Date(Math.max(next.getTime(), clock.now().getTime() + SOONEST_MS));
  await db.transaction().execute((tx) => enqueue(tx, runInsights, {}, { key: WAKE_KEY, run_at }));
}

type HeldExecution = { execution: ClaimedExecution; lost: AbortSignal };
type Claimed = HeldExecution & { material: Material };
/** `begin(true)`: it has a slot; `begin(false)`: the run ends, so it never will. */
type Waiting = { execution: ClaimedExecution; begin(mayRun: boolean): void };

/**
 * Claims, feeds and runs until nothing is due:
 *
 *   claimed ──▶ waits for a slot ──▶ runs, in one of `concurrency` slots ──▶ is stored, in one transaction with others
 */
class Working {
  readonly #parts: ExecutorParts;
  /** Differs for each run, so that a run can't store results of executions that an earlier run released. */
  readonly #owner: string;
  readonly #recorder: Recorder;
  readonly #stopping: AbortSignal;
  /** Nothing further is begun: the program stops, or the workers gave up in an outage of the database. */
  readonly #ending: AbortSignal;
  readonly #cut: AbortSignal;
  /** Claimed here and not finished. */
  readonly #leases: Leases<ClaimedExecution>;
  readonly #unstorable: number[] = [];
  readonly #loop: WorkLoop;
  #waiting: Waiting[] = [];
  #running = 0;
  /** By sub-organization. */
  readonly #runningOf = new Map<number, number>();
  #storing = 0;
  readonly #pace = createPace();
  /** Claims since the last feeding of a backfill. */
  #claimed = 0;

  constructor(parts: ExecutorParts, { stopping, cut }: { stopping: AbortSignal; cut: AbortSignal }) {
    this.#parts = parts;
    this.#owner = `${parts.owner}/${randomBase62(8)}`;
    this.#leases = executionLeases(parts, this.#owner);
    this.#recorder = createRecorder(parts, { owner: this.#owner, stopping });
    this.#loop = createWorkLoop<Claimed>({
      of: "insight executions",
      log: parts.log,
      room: () => this.#room(),
      full: UNTIL_CHANGE,
      claim: (most, begin) => this.#findWork(most, begin),
      run: (claimed) => this.#runOne(claimed),
    });
    this.#stopping = stopping;
    this.#cut = cut;
    this.#ending = AbortSignal.any([stopping, cut]);
  }

  /** Something was queued, so the run checks once more before it ends. */
  lookAgain(): void {
    this.#loop.wake();
  }

  /** Something was queued since the last claim. */
  get again(): boolean {
    return this.#loop.isWoken();
  }

  async run(): Promise<void> {
    const cutOff = () => this.#leases.cutOff();
    this.#cut.addEventListener("abort", cutOff);
    try {
      await this.#loop.untilDone(this.#ending);
      this.#dismiss();
      await this.#loop.idle();
    } finally {
      this.#dismiss();
      this.#leases.stop();
      this.#cut.removeEventListener("abort", cutOff);
      // Also after an error, while some still run: they have lost their lease and can't store their results.
      cutOff();
      // What was paid for first. A lease that runs out would count as the death of its process.
      await this.#recorder.idle();
      const back = () => giveBack(this.#parts.db, this.#owner, this.#unstorable);
      await patiently(back, { most_ms: Number.POSITIVE_INFINITY, stop: this.#stopping });
    }
  }

  /** Executions that wait for a slot are released without having run. */
  #dismiss(): void {
    for (const { begin } of this.#waiting.splice(0)) begin(false);
  }

  /** Whether there may be more due work right away. */
  async #findWork(most: number, begin: (claimed: Claimed) => void): Promise<Wait> {
    // Fed before the queue is empty, so that no slot stays idle.
    const isFed = this.#claimed >= FEED_AHEAD / 2;
    const looks = [this.#claim(most, begin), isFed ? this.#feed() : Promise.resolve(null)] as const;
    // When one of them fails, the run ends only after the other, or nobody would give back what that claims.
    await Promise.allSettled(looks);
    const [claimed, fed] = await Promise.all(looks);
    const found = claimed === most || fed !== null || (await this.#feed()) !== null;
    return found ? { wait_ms: 0 } : UNTIL_CHANGE;
  }

  /** How many to claim: 0 while enough wait for a slot; never 0 when idle. */
  #room(): number {
    const { concurrency } = this.#parts;
    const ahead = claimAhead(concurrency, this.#pace.perSecond());
    if (this.#waiting.length > ahead / 2) return 0;
    const most = concurrency - this.#running + ahead - this.#waiting.length;
    return most < concurrency / 2 ? 0 : most;
  }

  async #claim(most: number, begin: (claimed: Claimed) => void): Promise<number> {
    const { db, clock } = this.#parts;
    const said = this.#leases.moment();
    const claim = { owner: this.#owner, now: clock.now() };
    const claimed = this.#hold(await claimExecutions(db, { ...claim, most }), said);
    this.#claimed += claimed.length;
    const holdsSuspect = this.#leases.items().some(({ is_suspect }) => is_suspect);
    const suspects = holdsSuspect
      ? []
      : this.#hold(await claimExecutions(db, { ...claim, most: 1, suspects: true }), said);
    if (claimed.length + suspects.length > 0) await this.#take([...claimed, ...suspects], begin);
    return claimed.length;
  }

  /** From here on they are given back at the end of the run, whatever fails. */
  #hold(executions: ClaimedExecution[], said: Moment): HeldExecution[] {
    return executions.map((execution) => ({ execution, lost: this.#leases.hold(execution, said) }));
  }

  #feed(): Promise<number | null> {
    const { db, clock } = this.#parts;
    this.#claimed = 0;
    return db.transaction().execute((tx) => feedNext(tx, clock.now()));
  }

  /** Reads the subjects of the claimed executions. */
  async #take(held: HeldExecution[], begin: (claimed: Claimed) => void): Promise<void> {
    const { db } = this.#parts;
    const sessions = held.flatMap(({ execution: { subject } }) =>
      "session_id" in subject ? [subject.session_id] : [],
    );
    const transcripts = await loadTranscripts(db, sessions);
    const claimed: Claimed[] = [];
    for (const one of held) {
      const { subject } = one.execution;
      const material =
        "session_id" in subject
          ? { transcript: transcripts.get(subject.session_id) ?? [], file: null }
          : await this.#recording(subject);
      claimed.push({ ...one, material });
    }
    for (const one of claimed) begin(one);
    this.#start();
  }

  /** A file that can't be read fails its own execution; thrown, it would end the run, and be claimed first by the next. */
  async #recording(subject: ClaimedExecution["subject"]): Promise<Material> {
    const { db, log, runner } = this.#parts;
    try {
      return await loadMaterial(db, runner.recordings, subject);
    } catch (error) {
      const why = publicText(error, log.child(subject), "an uploaded recording could not be read");
      return { transcript: null, file: null, unreadable: why };
    }
  }

  /**
   * Gives free slots to waiting executions, but none while `concurrency` results wait to be stored. A crash loses what runs
   * and what is not stored, and both together stay below twice `concurrency`.
   */
  #start(): void {
    const { concurrency } = this.#parts;
    while (this.#running < concurrency && this.#storing < concurrency && !this.#ending.aborted) {
      const next = this.#next();
      if (!next) return;
      this.#count(next.execution.sub_organization_id, 1);
      next.begin(true);
    }
  }

  #place(execution: ClaimedExecution): Promise<boolean> {
    return new Promise((begin) => this.#waiting.push({ execution, begin }));
  }

  /** The first waiting execution of the sub-organization that has the fewest running. */
  #next(): Waiting | undefined {
    const runningOf = ({ execution }: Waiting) => this.#runningOf.get(execution.sub_organization_id) ?? 0;
    let next = 0;
    this.#waiting.forEach((one, at) => {
      const least = this.#waiting[next];
      if (least && runningOf(one) < runningOf(least)) next = at;
    });
    return this.#waiting.splice(next, 1)[0];
  }

  #count(sub_organization_id: number, change: 1 | -1): void {
    this.#running += change;
    const running = (this.#runningOf.get(sub_organization_id) ?? 0) + change;
    if (running === 0) this.#runningOf.delete(sub_organization_id);
    else this.#runningOf.set(sub_organization_id, running);
  }

  /** Frees the slot before the result is stored, so that the next one runs meanwhile. */
  async #runOne({ execution, material, lost }: Claimed): Promise<void> {
    const { db, log } = this.#parts;
    if (!(await this.#place(execution))) return;
    try {
      const last = await runExecution(execution, material, {
        ...this.#parts,
        recorder: this.#recorder,
        signal: lost,
        loadInsights: () => loadInsights(db, execution.subject),
      }).finally(() => {
        this.#count(execution.sub_organization_id, -1);
        this.#storing += 1;
        this.#start();
        this.#loop.wake();
      });
      await last.stored;
      // An aborted execution is released at the end of the run.
      if (!this.#cut.aborted) this.#leases.drop(execution);
    } catch (error) {
      // Its lease runs out, and it is claimed again; after a second time it is set aside.
      this.#leases.drop(execution);
      if (!isDatabaseAway(error)) this.#unstorable.push(execution.id);
      log.error({ err: error, execution_id: execution.id }, "an insight execution could not be stored");
    } finally {
      this.#pace.count();
      this.#storing -= 1;
      this.#start();
    }
  }
}
