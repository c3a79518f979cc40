import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { type Experiment, type ExperimentStage, isRunning, nextStep } from "./experiment.ts";

export const experimentList: list.ListRules = {
  fields: {
    id: list.integer("e.id"),
    name: list.text("e.name"),
    agent_id: list.integer("e.agent_id"),
    agent: list.text("a.name"),
    status: list.exact("e.status"),
    started_at: list.time("e.started_at"),
    ended_at: list.time("e.ended_at"),
    created_at: list.time("e.created_at"),
    last_updated: list.time("e.last_updated"),
    last_updated_by: list.text("e.last_updated_by"),
  },
  time: "e.created_at",
  order: [{ column: "e.id", direction: "desc" }],
};

type StoredExperiment = Omit<Experiment, "next_step_at">;

export const selectExperiments = (db: Db, caller: Pick<Caller, "sub_organization_id">) =>
  db
    .selectFrom("experiments as e")
    .innerJoin("agents as a", "a.id", "e.agent_id")
    .where("e.sub_organization_id", "=", caller.sub_organization_id)
    .where("e.deleted_at", "is", null)
    .select([
      "e.id",
      "e.name",
      "e.agent_id",
      "a.name as agent",
      "e.channel_target_id",
      sql<string | null>`(select t.target from channel_targets t where t.id = e.channel_target_id)`.as(
        "target",
      ),
      "e.campaign_id",
      sql<string | null>`(select c.campaign_name from campaigns c where c.id = e.campaign_id)`.as(
        "campaign_name",
      ),
      "e.variants",
      "e.ramp",
      "e.guards",
      "e.slow_ms",
      "e.success",
      "e.status",
      "e.stages",
      "e.started_at",
      "e.ended_at",
      "e.ended_because",
      "e.created_at",
      "e.last_updated",
      "e.last_updated_by",
    ])
    .$castTo<StoredExperiment>();

/** As it is answered: with the time at which its ramp goes on. */
export const withNextStep = (stored: StoredExperiment): Experiment => ({
  ...stored,
  next_step_at: isRunning(stored.status) ? (nextStepAt(stored)?.toISOString() ?? null) : null,
});

/** null: by hand, or there is no step left. */
export function nextStepAt(experiment: Pick<Experiment, "ramp" | "stages" | "variants">): Date | null {
  const minutes = nextStep(experiment)?.after_minutes ?? null;
  const since = experiment.stages.at(-1)?.started_at;
  return minutes === null || since === undefined
    ? null
    : new Date(new Date(since).getTime() + minutes * 60_000);
}

export async function findExperiment(
  db: Db,
  caller: Pick<Caller, "sub_organization_id">,
  id: number,
): Promise<Experiment | undefined> {
  const stored = await selectExperiments(db, caller).where("e.id", "=", id).executeTakeFirst();
  return stored && withNextStep(stored);
}

/** Whoever changes an experiment, the guard job among them, does so one after the other. */
export async function holdExperiment(tx: Tx, caller: Caller, id: number): Promise<Experiment> {
  await tx.selectFrom("experiments").select("id").where("id", "=", id).forUpdate().execute();
  const found = await findExperiment(tx, caller, id);
  if (!found) throw notFound("Experiment", id);
  return found;
}

type EndedAs = { status: "stopped" | "returned" | "adopted"; because: string; at: Date; by: string };

/** Everybody reaches the published version of the agent again; sessions that run go on as they began. */
export async function endExperiment(tx: Tx, id: number, { status, because, at, by }: EndedAs): Promise<void> {
  const ended_at = at.toISOString();
  await tx
    .updateTable("experiments")
    .set({ status, ended_at, ended_because: because, last_updated: ended_at, last_updated_by: by })
    .where("id", "=", id)
    .execute();
}

/** From now on people are assigned with these weights. */
export async function beginStage(tx: Tx, id: number, stage: ExperimentStage): Promise<void> {
  await sql`
    update experiments
    set stages = (stages::jsonb || ${JSON.stringify([stage])}::jsonb)::json, status = 'running',
      started_at = coalesce(started_at, ${stage.started_at}), last_updated = ${stage.started_at},
      last_updated_by = ${stage.changed_by}
    where id = ${id}`.execute(tx);
}
