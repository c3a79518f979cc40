import { sql } from "kysely";
import { freezeSnapshot, type Snapshot, toolsIn } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { holdRecord } from "../api/hold-record.ts";
import * as list from "../api/list.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, invalid, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { recordset } from "../db/recordset.ts";
import { organizationDocuments, organizationMarks } from "../redaction/text-sealer.ts";
import { findingsOf, type TestFinding } from "./case-findings.ts";
import type { SessionJudges } from "./session-judges.ts";
import { recordedBy, TestCase, type TestSuiteInput } from "./test-case.ts";

export type TestSuiteRow = {
  id: number;
  name: string;
  description: string;
  agent_id: number;
  agent: string;
  case_count: number;
  last_run_id: number | null;
  last_run_passed: number | null;
  last_run_judged: number | null;
  last_updated: string;
  last_updated_by: string;
  /** Only of one suite, not in lists. */
  cases?: TestCase[];
  findings?: TestFinding[];
};

export const suiteList: list.ListRules = {
  fields: {
    id: list.integer("s.id"),
    name: list.text("s.name"),
    name_exact: list.exact("s.name"),
    agent: list.text("a.name"),
    agent_id: list.integer("s.agent_id"),
    last_updated: list.time("s.last_updated"),
    last_updated_by: list.text("s.last_updated_by"),
  },
  time: "s.last_updated",
  order: [{ column: "s.id", direction: "asc" }],
};

export const selectSuites = (db: Db, caller: Pick<Caller, "sub_organization_id">) =>
  db
    .selectFrom("test_suites as s")
    .innerJoin("agents as a", "a.id", "s.agent_id")
    .leftJoinLateral(
      (join) =>
        join
          .selectFrom("test_runs as run")
          .select("run.id")
          .whereRef("run.suite_id", "=", "s.id")
          .orderBy("run.id", "desc")
          .limit(1)
          .as("r"),
      (join) => join.onTrue(),
    )
    .where("s.sub_organization_id", "=", caller.sub_organization_id)
    .where("s.deleted_at", "is", null)
    .select([
      "s.id",
      "s.name",
      "s.description",
      "s.agent_id",
      "a.name as agent",
      "s.last_updated",
      "s.last_updated_by",
      sql<number>`(select count(*) from test_cases c where c.suite_id = s.id)`.as("case_count"),
      "r.id as last_run_id",
      sql<number | null>`case when r.id is not null then ${caseCount("passed")} end`.as("last_run_passed"),
      sql<number | null>`case when r.id is not null then ${caseCount("judged")} end`.as("last_run_judged"),
    ]);

/** With its cases, and what is doubtful about them. */
export async function findSuite(
  db: Db,
  caller: Caller,
  id: number,
  judges: SessionJudges,
): Promise<TestSuiteRow | undefined> {
  const row = await selectSuites(db, caller).where("s.id", "=", id).executeTakeFirst();
  if (!row) return undefined;
  const cases = await casesOf(db, id);
  return { ...row, cases, findings: await findings(db, caller, { agent_id: row.agent_id, cases, judges }) };
}

export async function casesOf(db: Db, suite_id: number): Promise<TestCase[]> {
  const rows = await db
    .selectFrom("test_cases")
    .select("definition")
    .where("suite_id", "=", suite_id)
    .orderBy("position")
    .execute();
  // A field that came later has its default.
  return rows.map(({ definition }) => TestCase.parse(definition));
}

async function findings(
  db: Db,
  caller: Caller,
  { agent_id, cases, judges }: { agent_id: number; cases: TestCase[]; judges: SessionJudges },
): Promise<TestFinding[]> {
  try {
    const snapshot = await freezeSnapshot(db, caller.sub_organization_id, agent_id, "draft");
    return [
      ...findingsOf(cases, snapshot, await judges.names(db, caller)),
      ...(await missingRecordings(db, caller, cases)),
    ];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ path: "agent", message: error.message }];
  }
}

/** Sessions whose lines a case says, and which there are not, or no longer. */
export async function missingRecordings(
  db: Db,
  { sub_organization_id }: Pick<Caller, "sub_organization_id">,
  cases: readonly TestCase[],
): Promise<TestFinding[]> {
  const wanted = cases.flatMap((one, at) => {
    const session = recordedBy(one);
    return session === null ? [] : [{ at, session }];
  });
  if (wanted.length === 0) return [];
  const found = await db
    .selectFrom("sessions")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("id", "in", [...new Set(wanted.map(({ session }) => session))])
    .execute();
  const known = new Set(found.map(({ id }) => id));
  return wanted.flatMap(({ at, session }) =>
    known.has(session)
      ? []
      : [
          {
            path: `cases[${at}].person.session`,
            message: `There is no session ${session}; it may have been deleted.`,
          },
        ],
  );
}

/** How the tools of a state of an agent are called in it, and now. */
export async function namesNow(db: Db, snapshot: Snapshot): Promise<{ held: string; now: string }[]> {
  const held = new Map(toolsIn(snapshot).map(({ id, name }) => [id, name]));
  const found = await db
    .selectFrom("tools")
    .select(["id", "name"])
    .where(sql<boolean>`id = any(${[...held.keys()]}::bigint[])`)
    .where("deleted_at", "is", null)
    .execute();
  return found.map(({ id, name }) => ({ held: held.get(id) ?? name, now: name }));
}

/** The agent stays until the transaction ends. */
export async function agentNamed(
  tx: Tx,
  { sub_organization_id }: Pick<Caller, "sub_organization_id">,
  name: string,
): Promise<number> {
  const found = await tx
    .selectFrom("agents")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("name", "=", name)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (!found) throw invalid(["body", "agent"], `There is no agent named ${name}`);
  return found.id;
}

type SuiteDeps = { clock: Clock; vault: Vault };

export async function insertSuite(
  tx: Tx,
  { clock, vault }: SuiteDeps,
  caller: Caller,
  input: TestSuiteInput,
): Promise<number> {
  const { id } = await tx
    .insertInto("test_suites")
    .values({ ...(await columns(tx, clock, caller, input)), sub_organization_id: caller.sub_organization_id })
    .returning("id")
    .executeTakeFirstOrThrow();
  await insertCases(tx, vault, caller, id, input.cases);
  return id;
}

/** Whoever changes a suite, or when it runs, does so one after the other, and waits for runs that are being begun. */
export async function holdSuite(tx: Tx, caller: Caller, suite_id: number): Promise<void> {
  if (!(await holdRecord(tx, caller, "test_suites", suite_id, "update"))) {
    throw notFound("Test suite", suite_id);
  }
}

/** All cases are replaced: a run keeps its own. */
export async function replaceSuite(
  tx: Tx,
  { clock, vault }: SuiteDeps,
  caller: Caller,
  id: number,
  input: TestSuiteInput,
): Promise<void> {
  // Before `last_updated` is read: whatever run has the cases of before, began before it.
  await holdSuite(tx, caller, id);
  await tx
    .updateTable("test_suites")
    .set(await columns(tx, clock, caller, input))
    .where("id", "=", id)
    .execute();
  await tx.deleteFrom("test_cases").where("suite_id", "=", id).execute();
  await insertCases(tx, vault, caller, id, input.cases);
}

const columns = async (tx: Tx, clock: Clock, caller: Caller, input: TestSuiteInput) => ({
  name: input.name,
  description: input.description,
  agent_id: await agentNamed(tx, caller, input.agent),
  last_updated: clock.now().toISOString(),
  last_updated_by: caller.email,
});

/** A case may have been made of a conversation, so it is sealed where the organization seals. Its name is not. */
async function insertCases(
  tx: Tx,
  vault: Vault,
  caller: Caller,
  suite_id: number,
  cases: TestCase[],
): Promise<void> {
  const seal = await organizationDocuments(tx, vault, caller.sub_organization_id, `suite ${suite_id}`);
  const marks = await organizationMarks(tx, vault, caller.sub_organization_id);
  const rows = cases.map((definition, position) => ({
    sub_organization_id: caller.sub_organization_id,
    suite_id,
    position,
    name: definition.name,
    definition: seal(definition),
    // In JSON, bytes are spelled as text.
    address_marks: marks(JSON.stringify(definition), { isIndexed: true }) as never,
  }));
  if (rows.length === 0) return;
  await sql`
    insert into test_cases (sub_organization_id, suite_id, position, name, definition, address_marks)
    select sub_organization_id, suite_id, position, name, definition, address_marks
    from json_populate_recordset(null::test_cases, ${recordset<"test_cases">(rows)}::json)`.execute(tx);
}

/** Of a run `r`: how many of its cases have a verdict so far, or how many of those passed in all their repetitions. */
export const caseCount = (counted: "passed" | "judged") => sql<number>`(
  select count(*) ${counted === "passed" ? sql`filter (where one_case.passed)` : sql``}
  from (
    select bool_and(status = 'passed') as passed from test_results
    where run_id = r.id and status in ('passed', 'failed', 'error') group by case_name) as one_case)`;
