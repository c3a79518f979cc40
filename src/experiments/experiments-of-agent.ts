import type { Tx } from "../db/database.ts";

/** The running experiments that split an agent's sessions. */
export async function experimentsOfAgent(
  tx: Tx,
  agent_id: number,
): Promise<{ kind: string; name: string }[]> {
  const rows = await tx
    .selectFrom("experiments")
    .select("name")
    .where("agent_id", "=", agent_id)
    .where("status", "=", "running")
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ name }) => ({ kind: "running experiment", name }));
}
