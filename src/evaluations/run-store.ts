import { sql } from "kysely";
import { freezeSnapshot } from "../agents/snapshot.ts";
import { fingerprintOf } from "../agents/version-parts.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import type { Clock } from "../base/clock.ts";
import { invalid, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { caseCount } from "./case-count.ts";
import { runTest } from "./run-job.ts";
import { agentNamed, casesOf, selectSuites } from "./suite-store.ts";
import { type CountedResult, summarize, type TestSummary } from "./summary.ts";

export type TestRunRow = {
  passed: number;
  judged: number;
  id: number;
  suite_id: number;
  suite: string;
  agent_id: number;
  agent: string;
  version: number | null;
  repetitions: number;
  seed: number;
  cost_cap_usd: number | null;
  status: "running" | "finished" | "cancelled";
  created_at: string;
  created_by: string;
  finished_at: string | null;
};

/** So that no run keeps the workers for hours. */
const MAX_RESULTS = 3_000;

export type RunWanted = {
  agent?: string | null | undefined;
  version?: number | null | undefined;
  repetitions: number;
  seed: number;
  cost_cap_usd?: number | null | undefined;
};

/** Writes the run, its results and their jobs. */
export async function beginRun(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  suite_id: number,
  wanted: RunWanted,
): Promise<number> {
  const suite = await selectSuites(tx, caller).where("s.id", "=", suite_id).executeTakeFirst();
  if (!suite) throw notFound("Test suite", suite_id);
  const { sub_organization_id } = caller;
  const agent_id = wanted.agent ? await agentNamed(tx, caller, wanted.agent) : suite.agent_id;
  const snapshot = await freezeSnapshot(tx, sub_organization_id, agent_id, wanted.version ?? "draft");
  const cases = await casesOf(tx, suite_id);
  if (cases.length === 0) throw invalid(["body"], "The suite has no cases");
  const count = cases.length * wanted.repetitions;
  if (count > MAX_RESULTS)
    throw invalid(
      ["body", "repetitions"],
      `A run has at most ${MAX_RESULTS} conversations; this is ${count}`,
    );
  const { id } = await tx
    .insertInto("test_runs")
    .values({
      ...{ sub_organization_id, suite_id, agent_id, agent_name: snapshot.agent.name },
      version_number: wanted.version ?? null,
      snapshot: json(snapshot),
      fingerprint: fingerprintOf(snapshot),
      repetitions: wanted.repetitions,
      seed: wanted.seed,
      cost_cap_usd: wanted.cost_cap_usd ?? null,
      cases: json(cases),
      status: "running",
      created_at: clock.now().toISOString(),
      created_by: caller.email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await sql`
    with result as (
      insert into test_results (sub_organization_id, run_id, position, case_name, repetition, status)
      select ${sub_organization_id}::bigint, ${id}::bigint, c.ordinality - 1, c.value ->> 'name', repetition, 'pending'
      from json_array_elements(${JSON.stringify(cases)}::json) with ordinality as c (value, ordinality)
      cross join generate_series(1, ${wanted.repetitions}::int) as repetition
      order by repetition, c.ordinality
      returning id
    )
    select graphile_worker.add_job(${runTest.name}::text, json_build_object('result_id', result.id),
      max_attempts => ${runTest.max_attempts}::int, flags => array[${`tenant:${sub_organization_id}`}::text])
    from result order by result.id`.execute(tx);
  return id;
}

export const runList: list.ListRules = {
  fields: {
    id: list.integer("r.id"),
    suite_id: list.integer("r.suite_id"),
    suite: list.text("s.name"),
    agent: list.text("r.agent_name"),
    status: list.exact("r.status"),
    created_at: list.time("r.created_at"),
    created_by: list.text("r.created_by"),
  },
  time: "r.created_at",
  order: [{ column: "r.id", direction: "desc" }],
};

export const selectRuns = (db: Db, caller: Pick<Caller, "sub_organization_id">) =>
  db
    .selectFrom("test_runs as r")
    .innerJoin("test_suites as s", "s.id", "r.suite_id")
    .where("r.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "r.id",
      "r.suite_id",
      "s.name as suite",
      "r.agent_id",
      "r.agent_name as agent",
      "r.version_number as version",
      "r.repetitions",
      "r.seed",
      "r.cost_cap_usd",
      "r.status",
      "r.created_at",
      "r.created_by",
      "r.finished_at",
      caseCount("passed").as("passed"),
      caseCount("judged").as("judged"),
    ]);

export async function findRun(db: Db, caller: Caller, id: number): Promise<TestRunRow> {
  const row = await selectRuns(db, caller).where("r.id", "=", id).executeTakeFirst();
  if (!row) throw notFound("Test run", id);
  return row;
}

/** In the order of cases. */
export const countedResults = (db: Db, run_id: number): Promise<CountedResult[]> =>
  db
    .selectFrom("test_results")
    .select(["case_name", "status", "cost_usd"])
    .where("run_id", "=", run_id)
    .orderBy("position")
    .orderBy("repetition")
    .execute();

export async function withSummary(db: Db, run: TestRunRow): Promise<TestRunRow & { summary: TestSummary }> {
  return { ...run, summary: summarize(await countedResults(db, run.id)) };
}

/** What waits is skipped; conversations that run go on to their end and are not counted. */
export async function cancelRun(tx: Tx, clock: Clock, id: number): Promise<void> {
  const at = clock.now().toISOString();
  const cancelled = await tx
    .updateTable("test_runs")
    .set({ status: "cancelled", finished_at: at })
    .where("id", "=", id)
    .where("status", "=", "running")
    .executeTakeFirst();
  if (cancelled.numUpdatedRows === 0n) return;
  await tx
    .updateTable("test_results")
    .set({ status: "skipped", finished_at: at, notes: json(["Not run: the run was cancelled."]) })
    .where("run_id", "=", id)
    .where("status", "=", "pending")
    .execute();
}
