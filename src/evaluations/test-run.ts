import { z } from "zod";
import * as list from "../api/list.ts";
import { takeTurn } from "../api/resource.ts";
import { integer, queryInteger, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { TestVerdict } from "./judge.ts";
import {
  beginRun,
  cancelRun,
  countedResults,
  findRun,
  runList,
  selectRuns,
  withSummary,
} from "./run-store.ts";
import type { SessionJudges } from "./session-judges.ts";
import { compareRuns, TestComparison, TestSummary } from "./summary.ts";
import { SUITES, suiteParams } from "./test-suite.ts";

const TestRunRequest = z
  .strictObject({
    agent: z.string().max(255).nullish().describe("The name of another agent than the suite's."),
    version: recordId().nullish().describe("A published version of the agent. Omitted: the draft."),
    repetitions: integer({ min: 1, max: 100 }).default(1),
    seed: integer({ min: 0, max: 2_147_483_647 })
      .default(1)
      .describe("Where the model takes one: each repetition of a case derives its own."),
    cost_cap_usd: z
      .number()
      .min(0)
      .nullish()
      .describe("No conversation starts after the run has cost this much."),
  })
  .meta({ id: "TestRunRequest" });

const TestRunListed = z
  .object({
    id: z.int(),
    suite_id: z.int(),
    suite: z.string(),
    agent_id: z.int(),
    agent: z.string(),
    version: z.int().nullable().describe("null: the draft as saved when the run began."),
    repetitions: z.int(),
    seed: z.int(),
    cost_cap_usd: z.number().nullable(),
    status: z.enum(["running", "finished", "cancelled"]),
    created_at: timestamp(),
    created_by: z.string(),
    finished_at: timestamp().nullable(),
    is_scheduled: z.boolean().describe("Begun by the suite's schedule."),
    passed: z.int().describe("Cases whose repetitions all passed."),
    judged: z.int().describe("Cases that have a verdict so far."),
  })
  .meta({ id: "TestRunListed" });

const TestRunResponse = TestRunListed.extend({
  summary: TestSummary,
  notice: z
    .object({
      state: z.enum(["WAITING", "DELIVERED", "FAILED"]),
      tries: z.int(),
      at: timestamp(),
      reason: z.string().nullable(),
    })
    .nullable()
    .describe("How the suite's webhook was told; null: there was none, or it is being told."),
}).meta({ id: "TestRunResponse" });

const TestResult = z
  .object({
    id: z.int(),
    position: z.int(),
    case_name: z.string(),
    repetition: z.int(),
    status: z.enum(["pending", "passed", "failed", "error", "skipped"]),
    session_id: z.int().nullable(),
    verdicts: z.array(TestVerdict),
    notes: z
      .array(z.string())
      .describe("Mocks that matched no call, calls that none answered, why it was not run."),
    cost_usd: z.number().nullable(),
    finished_at: timestamp().nullable(),
  })
  .meta({ id: "TestResult" });
type TestResultRow = z.infer<typeof TestResult>;

const resultList: list.ListRules = {
  fields: {
    id: list.integer("t.id"),
    case_name: list.text("t.case_name"),
    repetition: list.integer("t.repetition"),
    status: list.exact("t.status"),
  },
  time: "t.finished_at",
  order: [
    { column: "t.position", direction: "asc" },
    { column: "t.repetition", direction: "asc" },
  ],
};

const RUNS = "/api/v1/test_runs";
const params = z.object({ run_id: recordId() });
const tag = "tests";

/** Runs of suites: begun, watched, read result by result, compared. */
export function runRoutes(
  api: Api,
  { db, clock, vault, judges }: { db: Db; clock: Clock; vault: Vault; judges: SessionJudges },
): void {
  api.post(
    `${SUITES}/:suite_id/runs`,
    {
      summary: "Run a test suite",
      description: "Answers at once; follow the run's status.",
      tag,
      permission: "tests_run",
      params: suiteParams,
      body: TestRunRequest,
      response: TestRunResponse,
    },
    async ({ caller, params, body }) => {
      const run = await db.transaction().execute(async (tx) => {
        const id = await beginRun(tx, { clock, vault, judges, caller }, params.suite_id, body);
        const after = await findRun(tx, caller, id);
        await api.audit(tx, caller, {
          action: "run",
          resource: "tests",
          resource_id: params.suite_id,
          after,
        });
        return after;
      });
      return withSummary(db, run);
    },
  );

  api.get(
    `${RUNS}/`,
    {
      summary: "List test runs",
      tag,
      permission: "tests_read",
      query: list.listQuery(runList),
      response: list.listOf(TestRunListed),
    },
    async ({ caller, query }) =>
      list.onlyFields(
        await list.listPage(db, selectRuns(db, caller), query, runList),
        query.fields,
        TestRunListed,
      ),
  );

  api.get(
    `${RUNS}/:run_id`,
    { summary: "Get a test run", tag, permission: "tests_read", params, response: TestRunResponse },
    async ({ caller, params }) => withSummary(db, await findRun(db, caller, params.run_id)),
  );

  api.get(
    `${RUNS}/:run_id/results`,
    {
      summary: "List the results of a test run",
      tag,
      permission: "tests_read",
      params,
      query: list.listQuery(resultList),
      response: list.listOf(TestResult),
    },
    async ({ caller, params, query }) => {
      const { id } = await findRun(db, caller, params.run_id);
      const select = db
        .selectFrom("test_results as t")
        .where("t.run_id", "=", id)
        .select([
          "t.id",
          "t.position",
          "t.case_name",
          "t.repetition",
          "t.status",
          "t.session_id",
          "t.verdicts",
          "t.notes",
          "t.cost_usd",
          "t.finished_at",
        ])
        .$castTo<TestResultRow>();
      return list.onlyFields(await list.listPage(db, select, query, resultList), query.fields, TestResult);
    },
  );

  api.post(
    `${RUNS}/:run_id/cancel`,
    {
      summary: "Cancel a test run",
      description: "Waiting conversations are skipped. A finished run is not changed.",
      tag,
      permission: "tests_run",
      params,
      response: TestRunResponse,
    },
    async ({ caller, params }) => {
      const run = await db.transaction().execute(async (tx) => {
        await takeTurn(tx, "test_runs", params.run_id);
        const before = await findRun(tx, caller, params.run_id);
        await cancelRun(tx, clock, before.id);
        const after = await findRun(tx, caller, before.id);
        await api.audit(tx, caller, {
          action: "cancel",
          resource: "tests",
          resource_id: before.suite_id,
          before,
          after,
        });
        return after;
      });
      return withSummary(db, run);
    },
  );

  api.get(
    `${RUNS}/:run_id/comparison`,
    {
      summary: "Compare a test run with an earlier one",
      tag,
      permission: "tests_read",
      params,
      query: z.object({ before: queryInteger().describe("The number of an earlier run of the same suite.") }),
      response: TestComparison,
    },
    async ({ caller, params, query }) => {
      const after = await findRun(db, caller, params.run_id);
      const before = await findRun(db, caller, query.before);
      if (before.suite_id !== after.suite_id)
        throw invalid(["query", "before"], "This is a run of another suite");
      return compareRuns(await countedResults(db, before.id), await countedResults(db, after.id));
    },
  );
}
