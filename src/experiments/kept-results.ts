import type { Clock } from "../base/clock.ts";
import { type Db, json } from "../db/database.ts";
import type { KeptKinds, KeptSince } from "../sessions/kept-since.ts";
import { compareVersions, type ExperimentComparison, stageOf } from "./comparison.ts";
import { type Experiment, isRunning } from "./experiment.ts";
import { findExperiment } from "./experiment-store.ts";

/*
 * Retention deletes sessions, and with them what came of them. So what came of each stage is written down each day, as long
 * as all its sessions are kept, and once it lacks some, that is the answer. The stage that people meet now has none of its
 * own: it is told with the day from which on its sessions are kept.
 */

type Parts = { db: Db; clock: Clock; keptSince: KeptSince };
type Results = (ExperimentComparison | null)[];

const DAY_ms = 86_400_000;

/** What came of each version in a stage; `wanted` null: in the last that compares any. */
export async function resultOf(
  { db, clock, keptSince }: Parts,
  tenant: number,
  experiment: Experiment,
  wanted: number | null,
): Promise<ExperimentComparison> {
  const stage = stageOf(experiment, wanted);
  const since = await lacksSince(db, keptSince, clock.now(), { tenant, experiment, stage });
  const isOver = !isRunning(experiment.status) || stage < experiment.stages.length - 1;
  const kept = since && isOver ? (await storedResults(db, experiment.id)).results?.[stage] : null;
  return kept ?? compareVersions(db, experiment, stage, since);
}

/** Writes down what came of the stages of which nothing is deleted: once a day, and once the experiment has ended. */
export async function keepResults({ db, clock, keptSince }: Parts, id: number): Promise<void> {
  const stored = await storedResults(db, id);
  const tenant = stored.sub_organization_id;
  const experiment = await findExperiment(db, stored, id);
  if (!experiment) return;
  const now = clock.now();
  const written = Date.parse(stored.results_at ?? "");
  const hasEndedSince = experiment.ended_at !== null && written <= Date.parse(experiment.ended_at);
  const age_ms = now.getTime() - written;
  // Less than nothing: the clock was set back since.
  if (age_ms >= 0 && age_ms < DAY_ms && !hasEndedSince) return;
  const results: Results = [];
  for (const stage of experiment.stages.keys()) {
    const since = await lacksSince(db, keptSince, now, { tenant, experiment, stage });
    const kept = stored.results?.[stage] ?? null;
    results.push(since ? kept : await compareVersions(db, experiment, stage, null));
  }
  await db
    .updateTable("experiments")
    .set({ results: json(results), results_at: now.toISOString() })
    .where("id", "=", id)
    .execute();
}

const storedResults = (db: Db, id: number) =>
  db
    .selectFrom("experiments")
    .select(["sub_organization_id", "results", "results_at"])
    .where("id", "=", id)
    .$castTo<{ sub_organization_id: number; results: Results | null; results_at: string | null }>()
    .executeTakeFirstOrThrow();

/** From when on the sessions of a stage are kept; null: all are. */
async function lacksSince(
  db: Db,
  keptSince: KeptSince,
  now: Date,
  { tenant, experiment, stage }: { tenant: number; experiment: Experiment; stage: number },
): Promise<Date | null> {
  const began = experiment.stages[stage]?.started_at;
  if (began === undefined) return null;
  const since = await keptSince(db, now, { tenant, ...countedOf(experiment) });
  return since !== null && since > new Date(began) ? since : null;
}

/** What its figures are counted of. */
const countedOf = ({ agent_id, success }: Experiment): KeptKinds => ({
  agent_id,
  kinds: success?.insight_key ? ["session", "insight"] : ["session"],
});

/** For how many days what an experiment counts is kept; null: for ever. */
export async function keptDays(
  { db, clock, keptSince }: Parts,
  tenant: number,
  experiment: Experiment,
): Promise<number | null> {
  const now = clock.now();
  const since = await keptSince(db, now, { tenant, ...countedOf(experiment) });
  return since && Math.round((now.getTime() - since.getTime()) / DAY_ms);
}
