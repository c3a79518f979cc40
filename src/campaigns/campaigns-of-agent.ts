import type { Tx } from "../db/database.ts";

/** The campaigns an agent speaks for, for the refusal to delete it. Index: campaigns_agent. */
export async function campaignsOfAgent(tx: Tx, agent_id: number): Promise<{ kind: string; name: string }[]> {
  const rows = await tx
    .selectFrom("campaigns")
    .select("campaign_name")
    .where("agent_id", "=", agent_id)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map(({ campaign_name }) => ({ kind: "campaign", name: campaign_name }));
}
