import { sql } from "kysely";
import { z } from "zod";
import { publicText } from "../base/errors.ts";
import { type Db, json } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import type { Engine } from "../sessions/engine.ts";
import { endSession } from "../turns/end-session.ts";
import { type PlayedCase, playCase } from "./play-case.ts";
import { TestCase } from "./test-case.ts";

/*
 * One job for each result of a run.
 *
 *   pending row and job, committed with the run → the session, opened with its number in the row → verdicts in the row
 *
 * When a process dies in between, the job runs again: it ends the session that was left, plays the case anew, and stores a
 * result only where there is none yet.
 */

export const runTest: Job<{ result_id: number }> = {
  name: "run-test",
  payload: z.object({ result_id: z.int() }),
  max_attempts: 3,
};

type Parts = { engine: Engine; catalogue: readonly LlmEntry[] };

export const testJobs = (parts: Parts): JobHandler[] => [
  handle(runTest, async ({ result_id }, { job }) => {
    await runResult(parts, result_id, job.attempts >= runTest.max_attempts);
  }),
];

type DueResult = NonNullable<Awaited<ReturnType<typeof loadDue>>>;

/** `isLast`: an error becomes the result, because the job is not tried again. */
async function runResult({ engine, catalogue }: Parts, result_id: number, isLast: boolean): Promise<void> {
  const { db, log } = engine;
  const due = await loadDue(db, result_id);
  if (!due) return;
  if (due.status === "pending" && due.run_status === "running") {
    if (due.session_id !== null) await endSession(engine, due.session_id, "error");
    if (await isSpent(db, due)) await store(engine, due, { status: "skipped", notes: [SPENT] });
    else {
      try {
        await store(engine, due, await play({ engine, catalogue }, due));
      } catch (error) {
        if (!isLast) throw error;
        const why = publicText(error, log, "a test could not be run");
        await store(engine, due, { status: "error", notes: [why] });
      }
    }
  }
  await finishRun(engine, due.run_id);
}

const SPENT = "Not run: the run has reached its cost cap.";

async function loadDue(db: Db, result_id: number) {
  const row = await db
    .selectFrom("test_results as t")
    .innerJoin("test_runs as r", "r.id", "t.run_id")
    .select([
      "t.id",
      "t.run_id",
      "t.sub_organization_id",
      "t.status",
      "t.session_id",
      "t.position",
      "t.repetition",
      "r.status as run_status",
      "r.agent_id",
      "r.seed",
      "r.cost_cap_usd",
      sql<unknown>`r.cases -> t.position`.as("test_case"),
    ])
    .where("t.id", "=", result_id)
    .executeTakeFirst();
  return row;
}

function play({ engine, catalogue }: Parts, due: DueResult): Promise<PlayedCase> {
  const { id, sub_organization_id, agent_id, position, repetition } = due;
  return playCase(engine, catalogue, {
    ...{ sub_organization_id, agent_id, sid: `test-${id}` },
    seed: seedOf(due.seed, position, repetition),
    test_case: TestCase.parse(due.test_case),
    onOpen: async (tx, { session_id }) => {
      await tx.updateTable("test_results").set({ session_id }).where("id", "=", id).execute();
    },
  });
}

/** Each repetition of a case has a seed of its own, the same in every run of this seed. */
const seedOf = (seed: number, position: number, repetition: number): number =>
  (seed * 1_000_003 + position * 1_009 + repetition) % 2_147_483_647;

async function isSpent(db: Db, { run_id, cost_cap_usd }: DueResult): Promise<boolean> {
  if (cost_cap_usd === null) return false;
  const { spent } = await db
    .selectFrom("test_results")
    .select((row) => row.fn.coalesce(row.fn.sum<number>("cost_usd"), sql<number>`0`).as("spent"))
    .where("run_id", "=", run_id)
    .executeTakeFirstOrThrow();
  return Number(spent) >= cost_cap_usd;
}

type Stored = Pick<PlayedCase, "notes"> &
  Partial<Pick<PlayedCase, "verdicts" | "cost_usd" | "session_id">> & {
    status: PlayedCase["status"] | "skipped";
  };

/** Only where there is no result yet. */
async function store({ db, clock }: Engine, { id }: DueResult, result: Stored): Promise<void> {
  const { status, notes, verdicts = [], cost_usd = null, session_id } = result;
  await db
    .updateTable("test_results")
    .set({
      status,
      verdicts: json(verdicts),
      notes: json(notes),
      cost_usd,
      finished_at: clock.now().toISOString(),
      ...(session_id !== undefined && { session_id }),
    })
    .where("id", "=", id)
    .where("status", "=", "pending")
    .execute();
}

/** A statement of its own, after the result's commit: of two last results, the later one sees both. */
async function finishRun({ db, clock }: Engine, run_id: number): Promise<void> {
  await db
    .updateTable("test_runs")
    .set({ status: "finished", finished_at: clock.now().toISOString() })
    .where("id", "=", run_id)
    .where("status", "=", "running")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("test_results")
            .select("id")
            .where("run_id", "=", run_id)
            .where("status", "=", "pending"),
        ),
      ),
    )
    .execute();
}
