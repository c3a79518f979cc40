import { sql } from "kysely";
import { type AgentState, freezeSnapshot, type Snapshot } from "../agents/snapshot.ts";
import { fingerprintOf } from "../agents/version-parts.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import type { Clock } from "../base/clock.ts";
import { invalid, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import type { TestFinding } from "../evaluations/case-findings.ts";
import { compareLanes } from "./compare-lanes.ts";
import { drawStratified, matchingSessions } from "./draw-sessions.ts";
import { replayFindings } from "./replay-findings.ts";
import { replayPair } from "./replay-job.ts";
import { ReplayRequest } from "./replay-request.ts";
import type { ReplaySummary } from "./replay-summary.ts";

export type ReplayRow = {
  id: number;
  agent_id: number;
  agent: string;
  request: ReplayRequest;
  baseline: string;
  candidate: string;
  findings: TestFinding[];
  seed: number;
  status: "running" | "finished" | "cancelled";
  created_at: string;
  created_by: string;
  finished_at: string | null;
  total: number;
  pending: number;
};

/** Writes the replay, its pairs and their jobs. */
export async function beginReplay(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  agent_id: number,
  { request, has_key }: { request: ReplayRequest; has_key: boolean },
): Promise<number> {
  const { sub_organization_id } = caller;
  const freeze = (state: AgentState) => freezeSnapshot(tx, sub_organization_id, agent_id, state);
  const candidate = await freeze(request.candidate);
  const live = request.baseline == null ? await freeze("live") : null;
  const baseline =
    request.baseline === "recorded" || (live && live.version === undefined)
      ? null
      : (live ?? (await freeze(request.baseline as AgentState)));
  const matching = await matchingSessions(tx, caller, agent_id, request, clock.now());
  const drawn = await stillThere(tx, drawStratified(matching, request.sessions));
  if (drawn.length === 0)
    throw invalid(
      ["body", "filter"],
      `No session matches. Replays take real sessions of ${candidate.agent.name} that have ended, in which the person said something; tests don't count`,
    );
  const fingerprint = fingerprintOf(candidate);
  const findings = await replayFindings(tx, {
    request,
    drawn,
    matching: matching.length,
    candidate,
    baseline,
    has_key,
    is_same: baseline !== null && fingerprintOf(baseline) === fingerprint,
  });
  const { id } = await tx
    .insertInto("replays")
    .values({
      sub_organization_id,
      agent_id,
      agent_name: candidate.agent.name,
      fingerprint,
      request: json(request),
      baseline: baseline === null ? "recorded" : stateName(baseline),
      candidate: stateName(candidate),
      baseline_snapshot: baseline === null ? null : json(baseline),
      candidate_snapshot: json(candidate),
      findings: json(findings),
      seed: request.seed,
      cost_cap_usd: request.cost_cap_usd ?? null,
      status: "running",
      created_at: clock.now().toISOString(),
      created_by: caller.email,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const pairs = drawn.map(({ id: session_id, stratum }, position) => ({ session_id, stratum, position }));
  await sql`
    with pair as (
      insert into replay_pairs (sub_organization_id, replay_id, position, stratum, session_id, status)
      select ${sub_organization_id}::bigint, ${id}::bigint, p.position, p.stratum, p.session_id, 'pending'
      from json_populate_recordset(null::replay_pairs, ${JSON.stringify(pairs)}::json) as p
      order by p.position
      returning id
    )
    select graphile_worker.add_job(${replayPair.name}::text, json_build_object('pair_id', pair.id),
      max_attempts => ${replayPair.max_attempts}::int, flags => array[${`tenant:${sub_organization_id}`}::text])
    from pair order by pair.id`.execute(tx);
  return id;
}

/** One that is just being deleted is waited for, and left out. */
async function stillThere<Drawn extends { id: number }>(tx: Tx, drawn: Drawn[]): Promise<Drawn[]> {
  const { rows } = await sql<{ id: number }>`
    select id from sessions where id = any(${drawn.map(({ id }) => id)}::bigint[]) order by id for key share`.execute(
    tx,
  );
  const there = new Set(rows.map(({ id }) => id));
  return drawn.filter(({ id }) => there.has(id));
}

const stateName = ({ version }: Snapshot): string => (version === undefined ? "draft" : String(version));

export const replayList: list.ListRules = {
  fields: {
    id: list.integer("r.id"),
    agent: list.text("r.agent_name"),
    agent_id: list.integer("r.agent_id"),
    status: list.exact("r.status"),
    created_at: list.time("r.created_at"),
    created_by: list.text("r.created_by"),
  },
  time: "r.created_at",
  order: [{ column: "r.id", direction: "desc" }],
};

export const selectReplays = (db: Db, { sub_organization_id }: Pick<Caller, "sub_organization_id">) =>
  db
    .selectFrom("replays as r")
    .where("r.sub_organization_id", "=", sub_organization_id)
    .select([
      "r.id",
      "r.agent_id",
      "r.agent_name as agent",
      "r.baseline",
      "r.candidate",
      "r.seed",
      "r.status",
      "r.created_at",
      "r.created_by",
      "r.finished_at",
      sql<number>`(select count(*) from replay_pairs p where p.replay_id = r.id)`.as("total"),
      sql<number>`(select count(*) from replay_pairs p where p.replay_id = r.id and p.status = 'pending')`.as(
        "pending",
      ),
    ]);

export async function findReplay(db: Db, caller: Caller, id: number): Promise<ReplayRow> {
  const row = await selectReplays(db, caller)
    .select(["r.request", "r.findings"])
    .where("r.id", "=", id)
    .executeTakeFirst();
  if (!row) throw notFound("Replay", id);
  // A field that came later has its default.
  return { ...row, request: ReplayRequest.parse(row.request), findings: row.findings as TestFinding[] };
}

export type WithSummary = Omit<ReplayRow, "pending" | "total"> & { summary: ReplaySummary };

/** As it is answered. Callers who may not see ratings aren't told which one was asked for. */
export async function withComparison(db: Db, caller: Caller, replay: ReplayRow): Promise<WithSummary> {
  const pairs = await db
    .selectFrom("replay_pairs")
    .select(["status", "observed", "baseline", "candidate"])
    .where("replay_id", "=", replay.id)
    .orderBy("position")
    .execute();
  const { pending: _pending, total: _total, request, ...shown } = replay;
  const { filter } = request;
  const label = caller.permissions.has("session_labels_read") ? filter.label : null;
  return {
    ...shown,
    request: { ...request, filter: { ...filter, label } },
    summary: compareLanes(
      pairs as unknown as Parameters<typeof compareLanes>[0],
      replay.request.checks.map(({ name }) => name),
      replay.seed,
    ),
  };
}

/** What waits is skipped; conversations that run go on to their end and are not counted. */
export async function cancelReplay(tx: Tx, clock: Clock, id: number): Promise<void> {
  const at = clock.now().toISOString();
  const cancelled = await tx
    .updateTable("replays")
    .set({ status: "cancelled", finished_at: at })
    .where("id", "=", id)
    .where("status", "=", "running")
    .executeTakeFirst();
  if (cancelled.numUpdatedRows === 0n) return;
  await tx
    .updateTable("replay_pairs")
    .set({ status: "skipped", finished_at: at, notes: json(["Not replayed: the replay was cancelled."]) })
    .where("replay_id", "=", id)
    .where("status", "=", "pending")
    .execute();
}
