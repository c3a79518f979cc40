import { sql } from "kysely";
import { z } from "zod";
import { requireAgent } from "../agents/agent-store.ts";
import type { Caller } from "../api/caller.ts";
import { takeTurn } from "../api/resource.ts";
import { Deleted, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { ErasureDeps } from "./erase-people.ts";
import { daysKept, type RetentionKind, retentionOf } from "./privacy-settings.ts";

/** What belongs to a session, and so to an agent. */
const AGENT_RETENTION_KINDS = [
  "recording",
  "session",
  "trace",
  "request",
  "insight",
] as const satisfies RetentionKind[];
type AgentRetentionKind = (typeof AGENT_RETENTION_KINDS)[number];

/** Days for some kinds; null: for good. The others are kept as the organization keeps them. */
export type AgentRetentionDays = Partial<Record<AgentRetentionKind, number | null>>;

const days = (what: string) => daysKept(what).optional();

const AgentRetentionRequest = z
  .strictObject({
    retention: z
      .strictObject({
        recording: days("recordings of its calls"),
        session: days("its sessions, with transcripts and all that belongs to them,"),
        trace: days("traces of its sessions"),
        request: days("requests to models and tools in its sessions"),
        insight: days("results of insights of its sessions"),
      })
      .describe("A kind that is left out is kept as long as the organization keeps it."),
  })
  .meta({ id: "AgentRetentionRequest" });

const AgentRetention = z
  .object({
    retention: z.partialRecord(z.enum(AGENT_RETENTION_KINDS), z.int().nullable()),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "AgentRetention" });
type AgentRetention = z.infer<typeof AgentRetention>;

const NOTHING: AgentRetention = { retention: {}, updated_at: null, updated_by: null };

async function readRetention(
  db: Db,
  { sub_organization_id }: Caller,
  agent_id: number,
): Promise<AgentRetention | undefined> {
  const { rows } = await sql<AgentRetention>`
    select retention, updated_at, last_updated_by as updated_by from agent_retention
    where agent_id = ${agent_id} and sub_organization_id = ${sub_organization_id}`.execute(db);
  return rows[0];
}

/** Of all agents that differ from their organization. Index: agent_retention_of. */
export async function agentsWithRetention(
  db: Db,
  sub_organization_id: number,
): Promise<{ agent_id: number; retention: AgentRetentionDays }[]> {
  return db
    .selectFrom("agent_retention")
    .select(["agent_id", "retention"])
    .where("sub_organization_id", "=", sub_organization_id)
    .orderBy("agent_id")
    .$castTo<{ agent_id: number; retention: AgentRetentionDays }>()
    .execute();
}

const DAY_MS = 86_400_000;

/** From when on these kinds are kept of one agent's sessions, or of all sessions (null); null: always. */
export async function keptSince(
  db: Db,
  now: Date,
  of: { tenant: number; agent_id: number | null; kinds: readonly AgentRetentionKind[] },
): Promise<Date | null> {
  const general = await retentionOf(db, of.tenant);
  const agents = await agentsWithRetention(db, of.tenant);
  const own = agents.find(({ agent_id }) => agent_id === of.agent_id)?.retention;
  const rules =
    of.agent_id === null
      ? [general, ...agents.map(({ retention }) => ({ ...general, ...retention }))]
      : [{ ...general, ...own }];
  const days = rules.flatMap((rule) => of.kinds.flatMap((kind) => rule[kind] ?? []));
  return days.length === 0 ? null : new Date(now.getTime() - Math.min(...days) * DAY_MS);
}

/** How long the conversations of one agent are kept, in place of what the organization says. */
export function agentRetentionRoutes(api: Api, { db, clock }: ErasureDeps): void {
  const path = "/api/v1/agents/:agent_id/retention";
  const resource = "agent_retention";
  const params = z.object({ agent_id: recordId() });

  api.get(
    path,
    {
      summary: "Get an agent's retention",
      description: "Only what differs from the organization.",
      tag: "agents",
      permission: "agents_read",
      params,
      response: AgentRetention,
    },
    async ({ caller, params: { agent_id } }) => {
      await requireAgent(db, caller, agent_id);
      return (await readRetention(db, caller, agent_id)) ?? NOTHING;
    },
  );
  api.put(
    path,
    {
      summary: "Set an agent's own retention",
      description:
        "Replaces the organization's days for the kinds that are named; null keeps for good. Sessions on legal hold are kept.",
      tag: "agents",
      permission: "organizations_write",
      params,
      body: AgentRetentionRequest,
      response: AgentRetention,
    },
    ({ caller, params: { agent_id }, body }) =>
      db.transaction().execute(async (tx) => {
        await requireAgent(tx, caller, agent_id);
        await takeTurn(tx, resource, agent_id);
        const before = await readRetention(tx, caller, agent_id);
        await sql`
          insert into agent_retention (agent_id, sub_organization_id, retention, updated_at, last_updated_by)
          values (${agent_id}, ${caller.sub_organization_id}, ${JSON.stringify(body.retention)}::json,
            ${clock.now().toISOString()}::timestamptz, ${caller.email})
          on conflict (agent_id) do update set retention = excluded.retention, updated_at = excluded.updated_at,
            last_updated_by = excluded.last_updated_by`.execute(tx);
        const after = (await readRetention(tx, caller, agent_id)) ?? NOTHING;
        await api.audit(tx, caller, {
          action: "update",
          resource,
          resource_id: agent_id,
          before: before ?? null,
          after,
        });
        return after;
      }),
  );
  api.delete(
    path,
    {
      summary: "Remove an agent's own retention",
      tag: "agents",
      permission: "organizations_write",
      params,
      response: Deleted,
    },
    ({ caller, params: { agent_id } }) =>
      db.transaction().execute(async (tx) => {
        await requireAgent(tx, caller, agent_id);
        await takeTurn(tx, resource, agent_id);
        const before = await readRetention(tx, caller, agent_id);
        if (!before) throw notFound("Retention of agent", agent_id);
        await tx.deleteFrom("agent_retention").where("agent_id", "=", agent_id).execute();
        await api.audit(tx, caller, { action: "delete", resource, resource_id: agent_id, before });
        return { success: true as const };
      }),
  );
}
