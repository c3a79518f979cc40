import { z } from "zod";
import { requirePermission } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { takeTurn } from "../api/resource.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { TestFinding } from "../evaluations/case-findings.ts";
import type { Engine } from "../sessions/engine.ts";
import { ReplayMeasures } from "./lane-measures.ts";
import { ReplayRequest } from "./replay-request.ts";
import {
  beginReplay,
  cancelReplay,
  findReplay,
  replayList,
  selectReplays,
  withComparison,
} from "./replay-store.ts";
import { ReplaySummary } from "./replay-summary.ts";

const ReplayListed = z
  .object({
    id: z.int(),
    agent_id: z.int(),
    agent: z.string(),
    baseline: z.string().describe("recorded, draft, or a version's number."),
    candidate: z.string(),
    seed: z.int(),
    status: z.enum(["running", "finished", "cancelled"]),
    created_at: timestamp(),
    created_by: z.string(),
    finished_at: timestamp().nullable(),
    total: z.int(),
    pending: z.int(),
  })
  .meta({ id: "ReplayListed" });

const ReplayResponse = ReplayListed.omit({ total: true, pending: true })
  .extend({ request: ReplayRequest, findings: z.array(TestFinding), summary: ReplaySummary })
  .meta({ id: "ReplayResponse" });

const ReplayPair = z
  .object({
    id: z.int(),
    position: z.int(),
    stratum: z.string(),
    status: z.enum(["pending", "replayed", "error", "skipped"]),
    session_id: z.int().nullable().describe("The recorded session; null once it was deleted."),
    baseline_session_id: z.int().nullable(),
    candidate_session_id: z.int().nullable(),
    observed: ReplayMeasures.nullable(),
    baseline: ReplayMeasures.nullable(),
    candidate: ReplayMeasures.nullable(),
    notes: z.array(z.string()),
    finished_at: timestamp().nullable(),
  })
  .meta({ id: "ReplayPair" });
type ReplayPairRow = z.infer<typeof ReplayPair>;

const pairList: list.ListRules = {
  fields: {
    id: list.integer("p.id"),
    position: list.integer("p.position"),
    status: list.exact("p.status"),
    stratum: list.exact("p.stratum"),
    session_id: list.integer("p.session_id"),
  },
  time: "p.finished_at",
  order: [{ column: "p.position", direction: "asc" }],
};

const REPLAYS = "/api/v1/replays";
const params = z.object({ replay_id: recordId() });
const tag = "tests";

/** Recorded sessions of an agent, played again with two of its states, and compared. */
export function addReplays(
  api: Api,
  { db, clock, resolveModel }: Pick<Engine, "db" | "clock" | "resolveModel">,
): void {
  api.post(
    "/api/v1/agents/:agent_id/replays",
    {
      summary: "Replay recorded sessions with another version of their agent",
      description:
        "Each session is replayed twice: with the baseline and with the candidate. Services are not called; tools answer as recorded. Answers at once; follow the replay's status.",
      tag,
      permission: "tests_run",
      also_permission: "session_labels_read",
      params: z.object({ agent_id: recordId() }),
      body: ReplayRequest,
      response: ReplayResponse,
    },
    async ({ caller, params: { agent_id }, body }) => {
      // The sessions that are drawn tell who was rated how.
      if (body.filter.label != null) requirePermission(caller, "session_labels_read");
      const { persona } = body;
      const has_key = !persona || !(await resolveModel(caller.sub_organization_id, persona.model)).scripted;
      const replay = await db.transaction().execute(async (tx) => {
        const id = await beginReplay(tx, clock, caller, agent_id, { request: body, has_key });
        const after = await findReplay(tx, caller, id);
        await api.audit(tx, caller, { action: "run", resource: "replays", resource_id: id, after });
        return after;
      });
      return withComparison(db, caller, replay);
    },
  );

  api.get(
    `${REPLAYS}/`,
    {
      summary: "List replays",
      tag,
      permission: "tests_read",
      query: list.listQuery(replayList),
      response: list.listOf(ReplayListed),
    },
    async ({ caller, query }) =>
      list.onlyFields(
        await list.listPage(db, selectReplays(db, caller), query, replayList),
        query.fields,
        ReplayListed,
      ),
  );

  api.get(
    `${REPLAYS}/:replay_id`,
    { summary: "Get a replay", tag, permission: "tests_read", params, response: ReplayResponse },
    async ({ caller, params }) => withComparison(db, caller, await findReplay(db, caller, params.replay_id)),
  );

  api.get(
    `${REPLAYS}/:replay_id/pairs`,
    {
      summary: "List the conversations of a replay",
      tag,
      permission: "tests_read",
      params,
      query: list.listQuery(pairList),
      response: list.listOf(ReplayPair),
    },
    async ({ caller, params, query }) => {
      const { id } = await findReplay(db, caller, params.replay_id);
      const select = db
        .selectFrom("replay_pairs as p")
        .where("p.replay_id", "=", id)
        .select([
          ...(["p.id", "p.position", "p.stratum", "p.status", "p.session_id"] as const),
          ...(["p.baseline_session_id", "p.candidate_session_id", "p.observed", "p.baseline"] as const),
          ...(["p.candidate", "p.notes", "p.finished_at"] as const),
        ])
        .$castTo<ReplayPairRow>();
      return list.onlyFields(await list.listPage(db, select, query, pairList), query.fields, ReplayPair);
    },
  );

  api.post(
    `${REPLAYS}/:replay_id/cancel`,
    {
      summary: "Cancel a replay",
      description: "Waiting sessions are skipped. A finished replay is not changed.",
      tag,
      permission: "tests_run",
      params,
      response: ReplayResponse,
    },
    async ({ caller, params }) => {
      const replay = await db.transaction().execute(async (tx) => {
        await takeTurn(tx, "replays", params.replay_id);
        const before = await findReplay(tx, caller, params.replay_id);
        await cancelReplay(tx, clock, before.id);
        const after = await findReplay(tx, caller, before.id);
        await api.audit(tx, caller, {
          action: "cancel",
          resource: "replays",
          resource_id: before.id,
          before,
          after,
        });
        return after;
      });
      return withComparison(db, caller, replay);
    },
  );
}
