import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db, Tx } from "../db/database.ts";
import { isSealedDocument } from "../db/sealed-values.ts";
import type { FollowsToolName } from "../tools/renamed-tool.ts";
import { casesOf, replaceSuite, selectSuites } from "./suite-store.ts";
import { TestCase, withToolNames } from "./test-case.ts";
import { auditedSuite } from "./test-suite.ts";

/** The suites that test an agent, and would have nobody to test without it. */
export async function suitesOfAgent(tx: Tx, agent_id: number): Promise<{ kind: string; name: string }[]> {
  const rows = await tx
    .selectFrom("test_suites")
    .select("name")
    .where("agent_id", "=", agent_id)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ name }) => ({ kind: "test suite", name }));
}

/** The test suites with a case that asks the judge of this name. Cases may be sealed, so each is read. */
export async function suitesAsking(
  db: Db,
  { sub_organization_id }: Pick<Caller, "sub_organization_id">,
  judge: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom("test_cases as c")
    .innerJoin("test_suites as s", "s.id", "c.suite_id")
    .where("s.sub_organization_id", "=", sub_organization_id)
    .where("s.deleted_at", "is", null)
    .select(["s.name", "c.definition"])
    .orderBy("s.name")
    .execute();
  const asks = rows.filter(({ definition }) => TestCase.parse(definition).expect.judges?.includes(judge));
  return [...new Set(asks.map(({ name }) => name))];
}

/** Test cases that name a tool get its new name when it is renamed. Those that are sealed have to be read. */
export const followToolInTests =
  (deps: { clock: Clock; vault: Vault }): FollowsToolName =>
  async (tx, { caller, audit }, { from, to }) => {
    const spelled = JSON.stringify(from);
    const stored = await tx
      .selectFrom("test_cases as c")
      .innerJoin("test_suites as s", "s.id", "c.suite_id")
      .where("s.sub_organization_id", "=", caller.sub_organization_id)
      .where("s.deleted_at", "is", null)
      .where(
        sql<boolean>`(${isSealedDocument(sql.ref("c.definition"))} or strpos(c.definition::text, ${spelled}) > 0)`,
      )
      .select(["s.id", "c.definition"])
      .orderBy("s.id")
      .forUpdate("s")
      .execute();
    const naming = stored.filter(({ definition }) => JSON.stringify(definition).includes(spelled));
    for (const id of new Set(naming.map((row) => row.id))) {
      const before = await casesOf(tx, id);
      const cases = before.map((one) => withToolNames(one, (tool) => (tool === from ? to : tool)));
      if (JSON.stringify(cases) === JSON.stringify(before)) continue;
      const suite = await selectSuites(tx, caller).where("s.id", "=", id).executeTakeFirstOrThrow();
      await replaceSuite(tx, deps, caller, id, { ...suite, cases });
      const after = await selectSuites(tx, caller).where("s.id", "=", id).executeTakeFirstOrThrow();
      await audit(tx, caller, {
        action: "update",
        resource: "tests",
        resource_id: id,
        before: await auditedSuite(tx, caller, { ...suite, cases: before }),
        after: await auditedSuite(tx, caller, { ...after, cases }),
      });
    }
  };
