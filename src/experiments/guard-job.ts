import { sql } from "kysely";
import { z } from "zod";
import { createAudit } from "../accounts/audit/audit.ts";
import type { Actor } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { Db, Tx } from "../db/database.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import type { KeptSince } from "../sessions/kept-since.ts";
import { tell, weightsText } from "./change-experiment.ts";
import { ASCRIBED_DAYS, collectOutcomes } from "./collect-outcomes.ts";
import { type Experiment, type Guard, isRunning, nextStep, weightsAt } from "./experiment.ts";
import { beginStage, endExperiment, findExperiment, nextStepAt } from "./experiment-store.ts";
import { guardCounts, hasMetControl, pastCounts } from "./guard-counts.ts";
import { type GuardVerdict, judgeGuards } from "./judge-guards.ts";
import { keepResults } from "./kept-results.ts";

/*
 * Every 20 seconds each running experiment is looked at: outcomes are written down, guardrails judged, the ramp goes on. One
 * process does it at a time, because it holds the experiment's row; the others skip it. What it decides commits together
 * with its event and its audit entry, or not at all, and the next look decides anew. Of one that has ended, outcomes are
 * written down each minute until its sessions are over and nothing can be ascribed to them any more.
 */

const guardExperiments: Job<object> = {
  name: "guard-experiments",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

type Parts = { db: Db; clock: Clock; keptSince: KeptSince };

export const experimentJobs = (parts: Parts): JobHandler[] => [
  handle(guardExperiments, async () => {
    const watched = await watchedExperiments(parts);
    try {
      await guardEach(parts, watched);
    } finally {
      if (watched.some(({ status }) => isRunning(status))) await lookAgain(parts);
    }
  }),
];

/** Cron knows minutes, and a fault has to be seen within one. */
const NEXT_LOOK_MS = 20_000;

async function lookAgain({ db, clock }: Parts): Promise<void> {
  const run_at = new Date(clock.now().getTime() + NEXT_LOOK_MS);
  await db
    .transaction()
    .execute((tx) => enqueue(tx, guardExperiments, {}, { key: "guard-experiments", run_at }));
}

type Watched = { id: number; status: Experiment["status"] };

/** Those that run, and those that ended of whose sessions more may become known. Index: experiment_sessions_open. */
const watchedExperiments = ({ db, clock }: Parts): Promise<Watched[]> =>
  db
    .selectFrom("experiments as e")
    .select(["e.id", "e.status"])
    .where((row) =>
      row.or([
        row("e.status", "=", "running"),
        row("e.ended_at", ">", new Date(clock.now().getTime() - ASCRIBED_DAYS * 86_400_000).toISOString()),
        row.and([
          row("e.ended_at", "is not", null),
          row.exists(
            row
              .selectFrom("experiment_sessions as s")
              .select("s.session_id")
              .whereRef("s.experiment_id", "=", "e.id")
              .where("s.is_over", "=", false),
          ),
        ]),
      ]),
    )
    .where("e.deleted_at", "is", null)
    .orderBy("e.id")
    .execute();

const guardEach = (parts: Parts, watched: Watched[]): Promise<void> =>
  oneByOne(watched, async ({ id }) => {
    await guardOne(parts, id);
    await keepResults(parts, id);
  });

/** Looks once at all that are watched. */
export const guardAll = async (parts: Parts): Promise<void> =>
  guardEach(parts, await watchedExperiments(parts));

async function guardOne({ db, clock }: Parts, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const held = await tx
      .selectFrom("experiments as e")
      .innerJoin("agents as a", "a.id", "e.agent_id")
      .select([
        "e.sub_organization_id",
        "e.status",
        "e.collected_at",
        "e.started_at",
        "e.slow_ms",
        "a.deleted_at as agent_deleted_at",
        sql<boolean>`e.channel_target_id is not null and not exists (
          select from channel_targets t where t.id = e.channel_target_id)`.as("has_lost_target"),
        sql<boolean>`e.campaign_id is not null and not exists (
          select from campaigns c where c.id = e.campaign_id and c.deleted_at is null)`.as(
          "has_lost_campaign",
        ),
      ])
      .where("e.id", "=", id)
      .where("e.status", "!=", "draft")
      .forUpdate("e")
      .skipLocked()
      .executeTakeFirst();
    if (!held) return;
    const at = clock.now();
    const { sub_organization_id, slow_ms, collected_at, started_at } = held;
    const since = collected_at ?? started_at ?? at.toISOString();
    await collectOutcomes(tx, { id, sub_organization_id, slow_ms, since });
    await tx
      .updateTable("experiments")
      .set({ collected_at: at.toISOString() })
      .where("id", "=", id)
      .execute();
    if (!isRunning(held.status)) return;
    const experiment = await findExperiment(tx, held, id);
    if (!experiment) return;
    const lost = lostPart(held);
    if (lost) return conclude(tx, clock, sub_organization_id, experiment, "stopped", lost);
    const verdicts = judgeGuards(experiment, await guardCounts(tx, id), await pastCounts(tx, experiment));
    const tripped = verdicts.filter(({ is_tripped }) => is_tripped);
    if (tripped.length > 0)
      return conclude(
        tx,
        clock,
        sub_organization_id,
        experiment,
        "returned",
        tripped.map(reasonOf).join(" "),
      );
    await goOn(tx, clock, sub_organization_id, experiment);
  });
}

/** Nobody would meet it any more, and no other experiment of its agent could start. */
function lostPart(of: {
  agent_deleted_at: string | null;
  has_lost_target: boolean;
  has_lost_campaign: boolean;
}): string | null {
  if (of.agent_deleted_at !== null) return "The agent was deleted.";
  if (of.has_lost_target) return "The address that it was limited to was removed from its channel.";
  return of.has_lost_campaign ? "The campaign that it was limited to was deleted." : null;
}

const GUARD_WORDS: Record<Guard, string> = {
  errors: "Errors happen",
  transfers: "Transfers happen",
  opt_outs: "Opt-outs happen",
  complaints: "Complaints happen",
  slow: "Slow sessions happen",
};

const reasonOf = ({ guard, version_number, evidence }: GuardVerdict): string =>
  `${GUARD_WORDS[guard]} to more people with version ${version_number} (p < ${pValue(evidence)}).`;

/** 1/e is a p-value that holds at all times together. */
const pValue = (evidence: number): string => {
  const p = 1 / evidence;
  return p < 0.0001 ? "0.0001" : p.toPrecision(2);
};

/** Takes the next step of the ramp when it is due. */
async function goOn(
  tx: Tx,
  clock: Clock,
  sub_organization_id: number,
  experiment: Experiment,
): Promise<void> {
  const at = clock.now();
  const step = nextStep(experiment);
  const due = nextStepAt(experiment);
  if (!step || !due || at < due) return;
  if (step.percent === 100 && !(await hasMetControl(tx, experiment))) return;
  const weights = weightsAt(experiment.variants, step.percent);
  const stage = { started_at: at.toISOString(), weights, changed_by: PROGRAM };
  await beginStage(tx, experiment.id, stage);
  const what = `goes on with ${weightsText(weights)}`;
  await tell(tx, sub_organization_id, experiment, at, "experiment-weights", what, "job");
  await createAudit(clock)(tx, programOf(sub_organization_id), {
    action: "change weights",
    resource: "experiments",
    resource_id: experiment.id,
    before: experiment.stages.at(-1),
    after: stage,
  });
}

async function conclude(
  tx: Tx,
  clock: Clock,
  sub_organization_id: number,
  experiment: Experiment,
  status: "returned" | "stopped",
  because: string,
): Promise<void> {
  const at = clock.now();
  await endExperiment(tx, experiment.id, { status, because, at, by: PROGRAM });
  const what =
    status === "returned" ? `returned everybody to the control. ${because}` : `was stopped. ${because}`;
  await tell(tx, sub_organization_id, experiment, at, `experiment-${status}`, what, "job");
  await createAudit(clock)(tx, programOf(sub_organization_id), {
    action: status === "returned" ? "return" : "stop",
    resource: "experiments",
    resource_id: experiment.id,
    before: { status: "running" },
    after: { status, because },
  });
}

/** What the audit trail names where nobody asked. */
const PROGRAM = "guardrails";
const programOf = (sub_organization_id: number): Actor => ({
  sub_organization_id,
  email: PROGRAM,
  user_id: null,
  api_token_id: null,
  address: null,
  request_id: null,
});
