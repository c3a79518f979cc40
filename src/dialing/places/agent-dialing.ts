import { sql } from "kysely";
import { z } from "zod";
import { requireAgent } from "../../agents/agent-store.ts";
import type { Caller } from "../../api/caller.ts";
import { integer, recordId } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Db, Tx } from "../../db/database.ts";
import { MOST_CONCURRENT } from "./campaign-dialing.ts";

const AgentDialing = z
  .strictObject({
    max_concurrent: integer({ min: 1, max: MOST_CONCURRENT })
      .nullable()
      .describe(
        "Calls of the agent at once, of all campaigns and inbound; null: no own limit. Campaigns start none beyond it. Inbound calls are counted and always answered.",
      ),
  })
  .meta({ id: "AgentDialingSettings" });
type AgentDialing = z.output<typeof AgentDialing>;

const AgentDialingState = AgentDialing.extend({
  outbound_calls: z.int().describe("Calls of campaigns under way now."),
  inbound_calls: z.int().describe("Inbound calls under way now."),
}).meta({ id: "AgentDialingState" });
type AgentDialingState = z.output<typeof AgentDialingState>;

const ONE = "/api/v1/agents/:agent_id/dialing-settings";

export function agentDialingRoutes(api: Api, { db }: { db: Db }): void {
  const tag = "agents";
  const params = z.object({ agent_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get how many calls an agent may have at once",
      tag,
      permission: "agents_read",
      params,
      response: AgentDialingState,
    },
    async ({ caller, params }) => {
      await requireAgent(db, caller, params.agent_id);
      return readState(db, caller, params.agent_id);
    },
  );

  api.put(
    ONE,
    {
      summary: "Set how many calls an agent may have at once",
      description:
        "Holds from the next attempt on, in every process and for all versions of the agent. Calls under way go on.",
      tag,
      permission: "outbound_write",
      params,
      body: AgentDialing,
      response: AgentDialingState,
    },
    ({ caller, params, body }) =>
      db.transaction().execute((tx) => replaceSettings(tx, caller, params.agent_id, body)),
  );

  async function replaceSettings(
    tx: Tx,
    caller: Caller,
    agent_id: number,
    { max_concurrent }: AgentDialing,
  ): Promise<AgentDialingState> {
    await requireAgent(tx, caller, agent_id);
    await sql`select id from agents where id = ${agent_id} for no key update`.execute(tx);
    const before = await readState(tx, caller, agent_id);
    await sql`update agents set max_concurrent = ${max_concurrent}::integer where id = ${agent_id}`.execute(
      tx,
    );
    await api.audit(tx, caller, {
      action: "update",
      resource: "agent-dialing-settings",
      resource_id: agent_id,
      before: { max_concurrent: before.max_concurrent },
      after: { max_concurrent },
    });
    return { ...before, max_concurrent };
  }
}

/** Indexes: `attempts_slots`, `sessions_open`. */
async function readState(db: Db, caller: Caller, agent_id: number): Promise<AgentDialingState> {
  const { rows } = await sql<AgentDialingState>`
    select max_concurrent, (
      select count(*) from attempts t
      where t.holds_slot and t.organization_id = ${caller.organization_id} and t.agent_id = a.id and t.mode = 'voice'
    ) as outbound_calls, (
      select count(*) from sessions s
      where s.ended_at is null and s.channel = 'voice' and not s.is_outbound and s.agent_id = a.id
        and s.sub_organization_id = a.sub_organization_id
    ) as inbound_calls
    from agents a where a.id = ${agent_id} and a.sub_organization_id = ${caller.sub_organization_id}`.execute(
    db,
  );
  return rows[0] as AgentDialingState;
}
