import type { Tx } from "../db/database.ts";

/** The addresses an agent is reached at, for the refusal to delete it. Index: channel_targets_agent. */
export async function targetsOfAgent(tx: Tx, agent_id: number): Promise<{ kind: string; name: string }[]> {
  const rows = await tx
    .selectFrom("channel_targets")
    .select(["target", "target_mode"])
    .where("agent_id", "=", agent_id)
    .orderBy("id")
    .execute();
  return rows.map(({ target, target_mode }) => ({ kind: `${target_mode} target`, name: target }));
}
