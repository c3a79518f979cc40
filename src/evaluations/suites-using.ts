import type { Caller } from "../api/caller.ts";
import type { Db, Tx } from "../db/database.ts";
import { TestCase } from "./test-case.ts";

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
