import { sql, type Updateable } from "kysely";
import { z } from "zod";
import type { Snapshot } from "../agents/snapshot.ts";
import { publicText } from "../base/errors.ts";
import { type Db, json, jsonOrNull, type Tx } from "../db/database.ts";
import type { TestResults } from "../db/types.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { organizationDocuments } from "../redaction/text-sealer.ts";
import type { Engine } from "../sessions/engine.ts";
import { endSession } from "../turns/end-session.ts";
import { type PlayedCase, playCase } from "./play-case.ts";
import { testSid } from "./recorded-lines.ts";
import { tellDone } from "./run-done.ts";
import type { FrozenJudge, SessionJudges } from "./session-judges.ts";
import { TestCase } from "./test-case.ts";
import type { OpenTestLine } from "./test-line.ts";

/*
 * One job for each result of a run.
 *
 *   pending row and job, committed with the run → the session, opened with its number in the row → verdicts in the row
 *
 * When a process dies in between, the job runs again: it ends the session that was left, plays the case anew, and stores a
 * result only where there is none yet. A process that only stood still, and goes on while another plays its case, finds
 * the other's session in the row (or none): its own result is not stored, and its job fails, because a job that ends well
 * is deleted, and the other's is the same.
 */

export const runTest: Job<{ result_id: number }> = {
  name: "run-test",
  payload: z.object({ result_id: z.int() }),
  max_attempts: 3,
};

type Parts = {
  engine: Engine;
  catalogue: readonly LlmEntry[];
  judges: SessionJudges;
  openLine: OpenTestLine;
};

export const testJobs = (parts: Parts): JobHandler[] => [
  handle(runTest, async ({ result_id }, { job }) => {
    await runResult(parts, result_id, job.attempts >= runTest.max_attempts);
  }),
];

type DueResult = NonNullable<Awaited<ReturnType<typeof loadDue>>>;

/** `isLast`: an error becomes the result, because the job is not tried again. */
async function runResult(parts: Parts, result_id: number, isLast: boolean): Promise<void> {
  const { engine } = parts;
  const due = await loadDue(engine.db, result_id);
  if (!due) return;
  if (due.status === "pending" && due.run_status === "running") {
    try {
      await settle(parts, due, isLast);
    } catch (error) {
      // Cancelled, or another process has stored its result.
      if ((await loadDue(engine.db, result_id))?.status === "pending") throw error;
    }
  }
  await engine.db.transaction().execute((tx) => finishRun(tx, engine.clock.now(), due.run_id));
}

async function settle(parts: Parts, due: DueResult, isLast: boolean): Promise<void> {
  const { engine } = parts;
  await takeOver(engine, due);
  if (await isSpent(engine.db, due)) return store(engine, due, { status: "skipped", notes: [SPENT] });
  let played: Stored;
  try {
    played = await play(parts, due);
  } catch (error) {
    if (!isLast) throw error;
    played = { status: "error", notes: [publicText(error, engine.log, "a test could not be run")] };
  }
  await store(engine, due, played);
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
      "t.recorded_session_id",
      "r.status as run_status",
      "r.agent_id",
      "r.seed",
      "r.cost_cap_usd",
      "r.snapshot",
      "r.judges",
      sql<unknown>`r.cases -> t.position`.as("test_case"),
    ])
    .where("t.id", "=", result_id)
    .executeTakeFirst();
  return row;
}

function play({ engine, catalogue, judges, openLine }: Parts, due: DueResult): Promise<PlayedCase> {
  const { id, sub_organization_id, agent_id, position, repetition, snapshot } = due;
  return playCase(engine, catalogue, {
    sub_organization_id,
    agent_id,
    sid: testSid(id),
    openLine,
    // Of a run that an earlier version of the program began, nothing was kept.
    held_with: (snapshot as Snapshot | null) ?? "draft",
    seed: seedOf(due.seed, position, repetition),
    test_case: TestCase.parse(due.test_case),
    judges: { frozen: due.judges as FrozenJudge[], ask: judges.ask },
    recorded_session_id: due.recorded_session_id,
    onOpen: async (tx, { session_id }) => {
      await write(tx, due, { session_id }, "while the recording is there");
      due.session_id = session_id;
    },
  });
}

/** Each repetition of a case has a seed of its own, the same in every run of this seed. */
const seedOf = (seed: number, position: number, repetition: number): number =>
  (seed * 1_000_003 + position * 1_009 + repetition) % 2_147_483_647;

/** Ends the session of the process that played this case before. */
async function takeOver(engine: Engine, due: DueResult): Promise<void> {
  if (due.session_id === null) return;
  await endSession(engine, due.session_id, "error");
  await write(engine.db, due, { session_id: null });
  due.session_id = null;
}

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
  Partial<Pick<PlayedCase, "verdicts" | "cost_usd" | "measures">> & {
    status: PlayedCase["status"];
  };

/** Verdicts and notes quote what was said and called. */
async function store({ db, clock, vault }: Engine, due: DueResult, result: Stored): Promise<void> {
  const seal = await organizationDocuments(db, vault, due.sub_organization_id, `test result ${due.id}`);
  const { status, notes, verdicts = [], cost_usd = null, measures = null } = result;
  const finished_at = clock.now().toISOString();
  await write(db, due, {
    status,
    verdicts: json(seal(verdicts)),
    notes: json(seal(notes)),
    cost_usd,
    measures: jsonOrNull(measures),
    finished_at,
  });
}

/** Only while there is no result yet, and the row names the session that this process left there. */
async function write(
  db: Db | Tx,
  { id, session_id, recorded_session_id }: DueResult,
  values: Updateable<TestResults>,
  recording?: "while the recording is there",
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("test_results")
    .set(values)
    .where("id", "=", id)
    .where((row) =>
      recording ? row("recorded_session_id", "is not distinct from", recorded_session_id) : row.lit(true),
    )
    .where("status", "=", "pending")
    .where("session_id", "is not distinct from", session_id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error(`another process plays test result ${id}`);
}

/** Whoever has stored a result holds the run first: of two last results, the later one sees both. */
async function finishRun(tx: Tx, at: Date, run_id: number): Promise<void> {
  await holdRun(tx, run_id);
  const finished = await tx
    .updateTable("test_runs")
    .set({ status: "finished", finished_at: at.toISOString() })
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
    .returning(["id", "suite_id", "sub_organization_id", "agent_name", "is_scheduled"])
    .executeTakeFirst();
  if (finished) await tellDone(tx, at, finished);
}

const holdRun = (tx: Tx, run_id: number) =>
  tx.selectFrom("test_runs").select("id").where("id", "=", run_id).forNoKeyUpdate().execute();

const SET_ASIDE =
  "The program was stopped twice while it played this. Run the suite again, or ask an operator.";

/** Of a job that was set aside: its run goes to its end without it. Resolves with the sessions that were left. */
export async function giveUpTest(tx: Tx, payload: unknown, at: Date): Promise<number[]> {
  const { result_id } = runTest.payload.parse(payload);
  const result = await tx
    .selectFrom("test_results")
    .select("run_id")
    .where("id", "=", result_id)
    .executeTakeFirst();
  if (!result) return [];
  await holdRun(tx, result.run_id);
  const given_up = await tx
    .updateTable("test_results")
    .set({ status: "error", notes: json([SET_ASIDE]), finished_at: at.toISOString() })
    .where("id", "=", result_id)
    .where("status", "=", "pending")
    .returning("session_id")
    .executeTakeFirst();
  await finishRun(tx, at, result.run_id);
  return given_up?.session_id == null ? [] : [given_up.session_id];
}

/** An operator lets a job that was set aside run again: its run goes on, and ends with what comes of it. */
export async function playTestAgain(tx: Tx, payload: unknown): Promise<void> {
  const { result_id } = runTest.payload.parse(payload);
  const { numUpdatedRows } = await tx
    .updateTable("test_runs")
    .set({ status: "running", finished_at: null })
    .where("status", "!=", "cancelled")
    .where(
      "id",
      "=",
      tx
        .selectFrom("test_results")
        .select("run_id")
        .where("id", "=", result_id)
        .where("status", "=", "error"),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await tx
    .updateTable("test_results")
    .set({ status: "pending", notes: json([]), finished_at: null })
    .where("id", "=", result_id)
    .execute();
}
