import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { Experiment } from "./experiment.ts";
import { controlOf, weightsNow } from "./experiment.ts";
import type { GuardCount, PastCount } from "./judge-guards.ts";

const FLAGS = sql`(values ('errors', e.is_error), ('transfers', e.is_transfer), ('opt_outs', e.is_opt_out),
  ('complaints', e.is_complaint), ('slow', e.is_slow)) as flag (guard, is_set)`;

/**
 * People by guardrail, each counted where it happened to them first. Reads only sessions to which something happened.
 * Index: experiment_sessions_bad.
 */
export async function guardCounts(db: Db, experiment_id: number): Promise<GuardCount[]> {
  const { rows } = await sql<GuardCount>`
    select guard, stage, version_number, count(*) as people
    from (
      select distinct on (flag.guard, e.person) flag.guard, e.stage, e.version_number
      from experiment_sessions e cross join lateral ${FLAGS}
      where e.experiment_id = ${experiment_id} and flag.is_set
        and (e.is_error or e.is_transfer or e.is_opt_out or e.is_complaint or e.is_slow)
      order by flag.guard, e.person, e.session_id
    ) first
    group by 1, 2, 3`.execute(db);
  return rows;
}

/** Whether anybody has met the control: else there is nothing to judge by once it gets no people. Index: experiment_sessions_people. */
export async function hasMetControl(
  db: Db,
  { id, variants }: Pick<Experiment, "id" | "variants">,
): Promise<boolean> {
  const found = await db
    .selectFrom("experiment_sessions")
    .select("session_id")
    .where("experiment_id", "=", id)
    .where("version_number", "=", controlOf(variants))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Once nobody meets the control: how it did before, and the other versions since. Empty while it still has people. Index:
 * experiment_sessions_people.
 */
export async function pastCounts(db: Db, experiment: Experiment): Promise<PastCount[]> {
  const control = controlOf(experiment.variants);
  const now = weightsNow(experiment).find(({ version_number }) => version_number === control);
  if (now?.weight !== 0) return [];
  const { rows } = await sql<PastCount>`
    with people as (
      select e.version_number, e.person, flag.guard, bool_or(flag.is_set) as happened
      from experiment_sessions e cross join lateral ${FLAGS}
      where e.experiment_id = ${experiment.id}
        and (e.version_number = ${control} or e.stage = ${experiment.stages.length - 1})
      group by 1, 2, 3
    )
    select version_number, guard, count(*) filter (where happened) as happened, count(*) as people
    from people group by 1, 2`.execute(db);
  return rows;
}
