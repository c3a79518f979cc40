import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { faultsOfText } from "../api/input/yaml-file.ts";
import * as list from "../api/list.ts";
import { addResource, write } from "../api/resource.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { sealsTexts } from "../redaction/text-sealer.ts";
import { TestFinding } from "./case-findings.ts";
import type { SessionJudges } from "./session-judges.ts";
import { readSuiteFile, writeSuiteFile } from "./suite-file.ts";
import {
  findSuite,
  insertSuite,
  replaceSuite,
  selectSuites,
  suiteList,
  type TestSuiteRow,
} from "./suite-store.ts";
import { TestCase, TestSuiteInput } from "./test-case.ts";

const TestSuiteUpdate = TestSuiteInput.extend({ id: recordId() }).meta({ id: "TestSuiteUpdate" });

const TestSuiteListed = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    agent_id: z.int(),
    agent: z.string().describe("The agent's name."),
    case_count: z.int(),
    last_run_id: z.int().nullable(),
    last_run_passed: z.int().nullable().describe("Cases of the last run whose repetitions all passed."),
    last_run_judged: z.int().nullable().describe("Cases of the last run that have a verdict so far."),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "TestSuiteListed" });

const TestSuiteResponse = TestSuiteListed.extend({
  cases: z.array(TestCase),
  findings: z.array(TestFinding),
}).meta({ id: "TestSuiteResponse" });

const MAX_FILE_CHARACTERS = 300_000;
const TestSuiteFile = z
  .object({ text: z.string().max(MAX_FILE_CHARACTERS).describe("YAML or JSON") })
  .meta({ id: "TestSuiteFile" });

export const SUITES = "/api/v1/test_suites";
export const suiteParams = z.object({ suite_id: recordId() });
const TAG = "tests";

export const auditedSuite = (tx: Tx, caller: Caller, row: TestSuiteRow): Promise<object> => {
  const { findings: _, last_run_id: _id, last_run_passed: _passed, last_run_judged: _judged, ...suite } = row;
  return withoutSealedCases(tx, caller, suite);
};

/** The trail is kept, and an erasure looks into it, so of cases that are stored sealed it has the names only. */
async function withoutSealedCases(
  tx: Tx,
  caller: Caller,
  suite: Pick<TestSuiteRow, "cases">,
): Promise<object> {
  if (!suite.cases || !(await sealsTexts(tx, caller.sub_organization_id))) return suite;
  return { ...suite, cases: suite.cases.map(({ name }) => ({ name })) };
}

/** Suites of tests: the five routes of a record, and the same suite as a file. */
export function suiteRoutes(
  api: Api,
  { db, clock, vault, judges }: { db: Db; clock: Clock; vault: Vault; judges: SessionJudges },
): void {
  const find = (from: Db, caller: Caller, id: number) => findSuite(from, caller, id, judges);
  addResource<TestSuiteRow, TestSuiteInput, z.infer<typeof TestSuiteUpdate>>(api, db, {
    path: SUITES,
    noun: "Test suite",
    id_name: "suite_id",
    tag: TAG,
    permission: "tests",
    record: TestSuiteListed,
    detail: TestSuiteResponse,
    create: TestSuiteInput,
    update: TestSuiteUpdate,
    list: suiteList,
    audited: (row, _input, { tx, caller }) => auditedSuite(tx, caller, row),
    store: {
      page: (caller, query) => list.listPage(db, selectSuites(db, caller), query, suiteList),
      find,
      insert: (tx, caller, input) => insertSuite(tx, { clock, vault }, caller, input),
      replace: (tx, caller, { id, ...input }) => replaceSuite(tx, { clock, vault }, caller, id, input),
      remove: async (tx, _caller, id, { reason }) => {
        await tx
          .updateTable("test_suites")
          .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
          .where("id", "=", id)
          .execute();
      },
    },
  });

  api.post(
    `${SUITES}/import`,
    {
      summary: "Save a test suite from a file",
      description: "Creates the suite of this name, or replaces it. Faults name the line.",
      tag: TAG,
      permission: "tests_write",
      body: TestSuiteFile,
      response: TestSuiteResponse,
    },
    async ({ caller, body }) => {
      const read = await readSuiteFile(body.text);
      if (!read.ok) throw faultsOfText(read.faults);
      return write(db, "Test suite", (tx) => saveByName(tx, caller, read.value));
    },
  );

  async function saveByName(tx: Tx, caller: Caller, suite: TestSuiteInput): Promise<TestSuiteRow> {
    const stored = await tx
      .selectFrom("test_suites")
      .select("id")
      .where("sub_organization_id", "=", caller.sub_organization_id)
      .where("name", "=", suite.name)
      .where("deleted_at", "is", null)
      .forUpdate()
      .executeTakeFirst();
    const before = stored && (await find(tx, caller, stored.id));
    const id = stored ? stored.id : await insertSuite(tx, { clock, vault }, caller, suite);
    if (stored) await replaceSuite(tx, { clock, vault }, caller, id, suite);
    const after = (await find(tx, caller, id)) as TestSuiteRow;
    const told = (suite: TestSuiteRow) => withoutSealedCases(tx, caller, suite);
    await api.audit(tx, caller, {
      action: before ? "update" : "create",
      resource: TAG,
      resource_id: id,
      ...(before && { before: await told(before) }),
      after: await told(after),
    });
    return after;
  }

  api.get(
    `${SUITES}/:suite_id/export`,
    {
      summary: "Get a test suite as a YAML file",
      tag: TAG,
      permission: "tests_read",
      params: suiteParams,
      response: TestSuiteFile,
    },
    async ({ caller, params }) => {
      const suite = await find(db, caller, params.suite_id);
      if (!suite) throw notFound("Test suite", params.suite_id);
      const { name, description, agent, cases = [] } = suite;
      return { text: writeSuiteFile({ name, description, agent, cases }) };
    },
  );
}
