import { sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import { invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { isAnalysis } from "../insights/output.ts";
import { ExperimentFigure, type Metric, meanFigure, rateFigure } from "./compare.ts";
import { controlOf, type Experiment, GUARDS, Guard, type SuccessRule } from "./experiment.ts";
import { guardCounts, pastCounts } from "./guard-counts.ts";
import { judgeGuards, stageCounts } from "./judge-guards.ts";

export const ExperimentComparison = z
  .object({
    experiment_id: z.int(),
    stage: z.int().describe("Whose people are counted, from 0: others met other weights."),
    collected_at: timestamp().nullable(),
    kept_since: timestamp()
      .nullable()
      .describe("Earlier sessions are deleted by retention; null: none of them."),
    versions: z.array(
      z.object({
        version_number: z.int(),
        is_control: z.boolean(),
        weight: z.int().describe("Percent."),
        sessions: z.int(),
        people: z.int(),
        running: z.int().describe("Sessions that are not over yet."),
      }),
    ),
    figures: z.array(ExperimentFigure),
    guards: z.array(
      z.object({
        guard: Guard,
        version_number: z.int(),
        evidence: z.number().describe("1 says nothing."),
        threshold: z.number().describe("At this everybody is returned to the control."),
        is_tripped: z.boolean(),
      }),
    ),
  })
  .meta({ id: "ExperimentComparison" });
export type ExperimentComparison = z.infer<typeof ExperimentComparison>;

type Totals = { version_number: number; people: number };
/** People to whom something happened. */
type Troubled = { version_number: number } & Record<Guard, number>;
const MEANS = { wait_ms: "ms", duration_s: "s", turns: "count", cost_usd: "usd" } as const;
type MeanColumn = keyof typeof MEANS;
type StageSessions = { version_number: number; sessions: number; running: number } & Record<
  `${MeanColumn}_${"sessions" | "n" | "mean" | "variance"}`,
  number | null
>;

/** The stage that is asked for; null: the last in which the control and another version had people at the same time. */
export function stageOf(experiment: Pick<Experiment, "stages" | "variants">, wanted: number | null): number {
  const { stages } = experiment;
  if (wanted !== null && (wanted < 0 || wanted >= stages.length))
    throw invalid(["query", "stage"], `This experiment has ${stages.length} stages`);
  return wanted ?? comparable(experiment);
}

/** What came of each version, as of the last look of the guard job. `since`: when the stage's first sessions that are kept began. */
export async function compareVersions(
  db: Db,
  experiment: Experiment,
  stage: number,
  since: Date | null,
): Promise<ExperimentComparison> {
  const { id, variants, stages } = experiment;
  const counts = await guardCounts(db, id);
  const totals = await totalsOf(db, id, stage);
  const troubled = await troubledOf(db, id, stage);
  const sessions = await sessionsOf(db, id, stage);
  const success = await successOf(db, experiment);
  const past = await pastCounts(db, experiment);
  const collected_at = await collectedAt(db, id);
  const control = controlOf(variants);
  const of = <T>(value: (version: number) => T) =>
    variants.map(({ version_number, is_control }) => ({
      version_number,
      is_control,
      value: value(version_number),
    }));
  const rowOf = <T extends { version_number: number }>(rows: T[], version: number) =>
    rows.find(({ version_number }) => version_number === version);
  const rates = GUARDS.map((guard) =>
    rateFigure(
      guard,
      of((version) => rowOf(troubled, version)?.[guard]).map(({ value, ...version }) => ({
        ...version,
        count: value ?? 0,
        total: rowOf(totals, version.version_number)?.people ?? 0,
      })),
      (tried) => ({
        happened: stageCounts(
          stages,
          counts.filter((count) => count.guard === guard),
          tried,
          control,
        ),
        spared: null,
      }),
    ),
  );
  const numbers = (Object.keys(MEANS) as MeanColumn[]).map((column) =>
    meanFigure(
      column,
      MEANS[column],
      of((version) => rowOf(sessions, version)).map(({ value, ...version }) => ({
        ...version,
        sessions: value?.[`${column}_sessions`] ?? 0,
        n: value?.[`${column}_n`] ?? 0,
        mean: value?.[`${column}_mean`] ?? 0,
        variance: value?.[`${column}_variance`] ?? 0,
      })),
    ),
  );
  return {
    experiment_id: id,
    stage,
    collected_at,
    kept_since: since?.toISOString() ?? null,
    versions: of((version) => rowOf(sessions, version)).map(({ value, ...version }) => ({
      ...version,
      weight: weightOf(experiment, stage, version.version_number),
      sessions: value?.sessions ?? 0,
      running: value?.running ?? 0,
      people: rowOf(totals, version.version_number)?.people ?? 0,
    })),
    figures: [...(success ? [successFigure(experiment, stage, success)] : []), ...rates, ...numbers],
    guards: stages.length === 0 ? [] : judgeGuards(experiment, counts, past),
  };
}

function comparable({ stages, variants }: Pick<Experiment, "stages" | "variants">): number {
  const control = controlOf(variants);
  const found = stages.findLastIndex(({ weights }) =>
    weights.some(({ version_number, weight }) => version_number === control && weight > 0 && weight < 100),
  );
  return Math.max(0, found);
}

const weightOf = ({ stages, variants }: Experiment, stage: number, version: number): number =>
  (stages[stage]?.weights ?? variants).find(({ version_number }) => version_number === version)?.weight ?? 0;

/** The people of each version, counted in the order of the index. Index: experiment_sessions_people. */
async function totalsOf(db: Db, experiment_id: number, stage: number): Promise<Totals[]> {
  const { rows } = await sql<Totals>`
    select version_number, count(distinct person) as people
    from experiment_sessions where experiment_id = ${experiment_id} and stage = ${stage}
    group by version_number`.execute(db);
  return rows;
}

/** Reads only sessions to which something happened. Index: experiment_sessions_bad. */
async function troubledOf(db: Db, experiment_id: number, stage: number): Promise<Troubled[]> {
  const { rows } = await sql<Troubled>`
    select version_number, count(distinct person) filter (where is_error) as errors,
      count(distinct person) filter (where is_transfer) as transfers,
      count(distinct person) filter (where is_opt_out) as opt_outs,
      count(distinct person) filter (where is_complaint) as complaints,
      count(distinct person) filter (where is_slow) as slow
    from experiment_sessions
    where experiment_id = ${experiment_id} and stage = ${stage}
      and (is_error or is_transfer or is_opt_out or is_complaint or is_slow)
    group by version_number`.execute(db);
  return rows;
}

/**
 * The means are of sessions, what they vary by is of people: who calls twenty times says less than twenty who call once.
 * Variance of a ratio of sums (Cochran 1977, equation 6.13), times the people.
 */
async function sessionsOf(db: Db, experiment_id: number, stage: number): Promise<StageSessions[]> {
  const columns = Object.keys(MEANS) as MeanColumn[];
  const ofPerson = columns.map((column) => {
    const known = sql`${sql.ref(column)}) filter (where is_over)`;
    return sql`sum(${known}::float8 as ${sql.ref(column)}, count(${known}::float8 as ${sql.ref(`${column}_of`)}`;
  });
  const ofVersion = columns.map((column) => {
    const [sum, of] = [sql.ref(column), sql.ref(`${column}_of`)];
    const mean = sql`sum(${sum}) / nullif(sum(${of}), 0)`;
    return sql`sum(${of})::bigint as ${sql.ref(`${column}_sessions`)}, count(${sum}) as ${sql.ref(`${column}_n`)},
      ${mean} as ${sql.ref(`${column}_mean`)},
      greatest(0, sum(${sum} ^ 2) - 2 * (${mean}) * sum(${sum} * ${of}) + (${mean}) ^ 2 * sum(${of} ^ 2))
        / nullif(count(${sum}) - 1, 0) / nullif((sum(${of}) / nullif(count(${sum}), 0)) ^ 2, 0)
        as ${sql.ref(`${column}_variance`)}`;
  });
  const { rows } = await sql<StageSessions>`
    with person as (
      select version_number, count(*) as sessions, count(*) filter (where not is_over) as running, ${sql.join(ofPerson)}
      from experiment_sessions
      where experiment_id = ${experiment_id} and stage = ${stage}
      group by version_number, person
    )
    select version_number, sum(sessions)::bigint as sessions, sum(running)::bigint as running, ${sql.join(ofVersion)}
    from person group by version_number`.execute(db);
  return rows;
}

type Succeeded = { version_number: number; stage: number; succeeded: number; people: number };

/** People by whether their first session that tells was a success. null: nobody said what one is. */
async function successOf(db: Db, { id, success }: Experiment): Promise<Succeeded[] | null> {
  if (success === null) return null;
  const { rows } = await sql<Succeeded>`
    select version_number, stage, count(*) filter (where is_success) as succeeded, count(*) as people
    from (
      select distinct on (e.person) e.version_number, e.stage, told.is_success
      from experiment_sessions e cross join lateral (${toldBy(success)}) as told
      where e.experiment_id = ${id} and e.is_over and told.is_success is not null
      order by e.person, e.session_id
    ) first group by 1, 2`.execute(db);
  return rows;
}

/** Indexes: insight_outputs_session, session_tool_calls' own by session. */
const toldBy = ({ insight_key, values, tool, end_reasons }: SuccessRule) =>
  insight_key === null
    ? tool
      ? sql`select exists (select from session_tool_calls c
          where c.session_id = e.session_id and c.tool_name = ${tool} and c.error is null) as is_success`
      : sql`select e.end_reason = any(${end_reasons}::text[]) as is_success`
    : sql`select coalesce(o.string_value, o.json_value ->> o.insight_key) = any(${values}::text[])
          or coalesce(o.entries && ${values}::text[], false) as is_success
        from insight_outputs o where o.session_id = e.session_id and o.insight_key = ${insight_key} and ${isAnalysis("o")}
        order by o.id desc limit 1`;

function successFigure(experiment: Experiment, stage: number, all: readonly Succeeded[]): ExperimentFigure {
  const { variants, stages } = experiment;
  const control = controlOf(variants);
  const metric: Metric = "success";
  return rateFigure(
    metric,
    variants.map(({ version_number, is_control }) => {
      const own = all.find((row) => row.stage === stage && row.version_number === version_number);
      return { version_number, is_control, count: own?.succeeded ?? 0, total: own?.people ?? 0 };
    }),
    (tried) => {
      const of = (people: (row: Succeeded) => number) =>
        stageCounts(
          stages,
          all.map((row) => ({ stage: row.stage, version_number: row.version_number, people: people(row) })),
          tried,
          control,
        );
      return { happened: of((row) => row.succeeded), spared: of((row) => row.people - row.succeeded) };
    },
  );
}

async function collectedAt(db: Db, id: number): Promise<string | null> {
  const found = await db
    .selectFrom("experiments")
    .select("collected_at")
    .where("id", "=", id)
    .executeTakeFirst();
  return found?.collected_at ?? null;
}
