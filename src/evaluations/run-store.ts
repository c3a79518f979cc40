import { sql } from "kysely";
import { freezeSnapshot, type Snapshot } from "../agents/snapshot.ts";
import { fingerprintOf } from "../agents/version-parts.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { invalid, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { organizationDocuments, organizationMarks } from "../redaction/text-sealer.ts";
import { runTest } from "./run-job.ts";
import type { FrozenJudge, SessionJudges } from "./session-judges.ts";
import { agentNamed, caseCount, casesOf, missingRecordings, namesNow, selectSuites } from "./suite-store.ts";
import { type CountedResult, summarize, type TestMeasures, type TestSummary } from "./summary.ts";
import { recordedBy, type TestCase, withToolNames } from "./test-case.ts";

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
  is_scheduled: boolean;
};

/** Who begins a run, or whose schedule does. */
type RunCaller = Pick<Caller, "sub_organization_id" | "email">;

/** Calls with sound keep a processor busy: an organization's are held one after the other, on all machines together. */
const soundQueue = (sub_organization_id: number): string => `audio-tests-${sub_organization_id}`;

/** So that no run keeps the workers for hours. */
const MAX_RESULTS = 3_000;

export type RunWanted = {
  agent?: string | null | undefined;
  version?: number | null | undefined;
  repetitions: number;
  seed: number;
  cost_cap_usd?: number | null | undefined;
  is_scheduled?: boolean;
};

/** Writes the run, its results and their jobs. */
export async function beginRun(
  tx: Tx,
  { clock, vault, judges, caller }: { clock: Clock; vault: Vault; judges: SessionJudges; caller: RunCaller },
  suite_id: number,
  wanted: RunWanted,
): Promise<number> {
  // Who changes the suite is waited for: a run that begins after a change has the cases of after it.
  await tx
    .selectFrom("test_suites")
    .select("id")
    .where("id", "=", suite_id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .forShare()
    .execute();
  const suite = await selectSuites(tx, caller).where("s.id", "=", suite_id).executeTakeFirst();
  if (!suite) throw notFound("Test suite", suite_id);
  const { sub_organization_id } = caller;
  const agent_id = wanted.agent ? await agentNamed(tx, caller, wanted.agent) : suite.agent_id;
  const snapshot = await freezeSnapshot(tx, sub_organization_id, agent_id, wanted.version ?? "draft");
  const cases = await namedAsIn(tx, snapshot, await casesOf(tx, suite_id));
  if (cases.length === 0) throw invalid(["body"], "The suite has no cases");
  const count = cases.length * wanted.repetitions;
  if (count > MAX_RESULTS)
    throw invalid(
      ["body", "repetitions"],
      `A run has at most ${MAX_RESULTS} conversations; this is ${count}`,
    );
  const recorded = cases.flatMap((one) => recordedBy(one) ?? []);
  // One that is just being deleted is waited for, and missing then.
  await sql`
    select from sessions where id = any(${recorded}::bigint[]) and sub_organization_id = ${caller.sub_organization_id}
    order by id for key share`.execute(tx);
  const [missing] = await missingRecordings(tx, caller, cases);
  if (missing) throw invalid(["body"], `${missing.path}: ${missing.message}`);
  const frozen = await judgesOf(tx, caller, cases, judges);
  const seal = await organizationDocuments(tx, vault, sub_organization_id, `run of suite ${suite_id}`);
  const marks = await organizationMarks(tx, vault, sub_organization_id);
  const { id } = await tx
    .insertInto("test_runs")
    .values({
      sub_organization_id,
      suite_id,
      agent_id,
      agent_name: snapshot.agent.name,
      version_number: wanted.version ?? null,
      snapshot: json(snapshot),
      fingerprint: fingerprintOf(snapshot),
      repetitions: wanted.repetitions,
      seed: wanted.seed,
      cost_cap_usd: wanted.cost_cap_usd ?? null,
      // Each by itself, so that a statement reads one of them.
      cases: json(cases.map(seal)),
      address_marks: sql<Buffer | null>`${marks(JSON.stringify(cases), { isIndexed: false })}::bytea`,
      judges: json(frozen),
      status: "running",
      is_scheduled: wanted.is_scheduled ?? false,
      created_at: clock.now().toISOString(),
      created_by: caller.email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const withSound = cases.flatMap(({ channel }, at) => (channel === "voice_audio" ? [at] : []));
  await sql`
    with result as (
      insert into test_results (sub_organization_id, run_id, position, case_name, repetition, status, recorded_session_id)
      select ${sub_organization_id}::bigint, ${id}::bigint, c.ordinality - 1, c.value ->> 'name', repetition, 'pending',
        case when json_typeof(c.value -> 'person') = 'object' then (c.value -> 'person' ->> 'session')::bigint end
      from json_array_elements(${JSON.stringify(cases)}::json) with ordinality as c (value, ordinality)
      cross join generate_series(1, ${wanted.repetitions}::int) as repetition
      order by repetition, c.ordinality
      returning id, position
    )
    select graphile_worker.add_job(${runTest.name}::text, json_build_object('result_id', result.id),
      max_attempts => ${runTest.max_attempts}::int, flags => array[${`tenant:${sub_organization_id}`}::text],
      queue_name => case when result.position = any(${withSound}::int[]) then ${soundQueue(sub_organization_id)}::text end)
    from result order by result.id`.execute(tx);
  return id;
}

/** Cases name tools as they are called now; a published version calls them by the names they had. */
async function namedAsIn(db: Db, snapshot: Snapshot, cases: TestCase[]): Promise<TestCase[]> {
  const names = new Map((await namesNow(db, snapshot)).map(({ held, now }) => [now, held]));
  return cases.map((one) => withToolNames(one, (tool) => names.get(tool) ?? tool));
}

/** As they are now. One that there is not, or that can't judge, is refused before anything is played. */
async function judgesOf(
  tx: Tx,
  caller: RunCaller,
  cases: readonly TestCase[],
  judges: SessionJudges,
): Promise<FrozenJudge[]> {
  const names = [...new Set(cases.flatMap(({ expect }) => expect.judges ?? []))];
  const found = await judges.freeze(tx, caller, names);
  const missing = names.find((name) => !found.some((judge) => judge.name === name));
  if (missing !== undefined) throw invalid(["body"], `There is no judge ${missing}`);
  return found.map((judge) => {
    if ("fault" in judge) throw invalid(["body"], `The judge ${judge.name} can't be asked: ${judge.fault}`);
    return judge;
  });
}

export const runList: list.ListRules = {
  fields: {
    id: list.integer("r.id"),
    suite_id: list.integer("r.suite_id"),
    suite: list.text("s.name"),
    agent: list.text("r.agent_name"),
    agent_id: list.integer("r.agent_id"),
    version: list.integer("r.version_number"),
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
      "r.is_scheduled",
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
    .select((row) => [
      "case_name",
      "status",
      "cost_usd",
      row.ref("measures").$castTo<TestMeasures | null>().as("measures"),
    ])
    .where("run_id", "=", run_id)
    .orderBy("position")
    .orderBy("repetition")
    .execute();

/** How the suite's webhook was told of a run. */
type RunNotice = {
  state: "WAITING" | "DELIVERED" | "FAILED";
  tries: number;
  at: string;
  reason: string | null;
};

export async function withSummary(
  db: Db,
  run: TestRunRow,
): Promise<TestRunRow & { summary: TestSummary; notice: RunNotice | null }> {
  const { notice } = await db
    .selectFrom("test_runs")
    .select("notice")
    .where("id", "=", run.id)
    .executeTakeFirstOrThrow();
  const summary = summarize(await countedResults(db, run.id));
  return { ...run, summary, notice: notice as RunNotice | null };
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
