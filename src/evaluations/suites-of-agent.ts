import type { Tx } from "../db/database.ts";

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
