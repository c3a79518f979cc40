import { type RawBuilder, sql } from "kysely";
import { unreachable } from "../base/errors.ts";
import { type Db, isStatementTimeout, type Tx } from "../db/database.ts";
import { MANY_ROWS, planned } from "../db/plans.ts";
import { factFilters, type Searched, UnreadableFilter } from "./fact-filters.ts";
import { insightOf, lookedAt } from "./insight-values.ts";
import { type FigureMetric, type FigureSplit, isTime, type MetricName, ruleOf } from "./metric.ts";

/** Time of which sessions are counted: [from, to). */
export type FigureSpan = { from: Date; to: Date };

export type FigureQuestion = Searched & {
  tenant: number;
  metric: FigureMetric;
  split: FigureSplit;
  span: FigureSpan;
  /** Where each hour or day begins, for a split by time; the first is the span's beginning. */
  starts: Date[];
  /** Boards count sessions by when they began, alerts by when they ended. */
  by: "began_at" | "ended_at";
};

/** The figure of one value of a split, or of all. */
export type FigureRow = {
  is_total: boolean;
  /** Of a split by time: the number of the hour or day, from 1. */
  key: string | null;
  /** Sessions, or people. */
  sessions: number;
  /** What a mean or percentile was made of. */
  n: number;
  /** The sessions of a rate to which it applies. */
  part: number | null;
  value: number | null;
  variance: number | null;
};

export type FigureResult = { rows: FigureRow[]; problem: null } | { rows: null; problem: string };

/** The values of a split that are shown; the others count in the total only. */
export const MOST_VALUES = 50;
/** Of a split by time: more points than a chart shows. */
export const MOST_POINTS = 400;
/** Shorter than the timeout of reading statements, so that the sentence below is what people read. */
const LONGEST_MS = 10_000;
const TOO_LONG =
  "There are too many sessions to count in 10 seconds. Choose a shorter period or fewer filters.";

/** Index: session_facts_began, or session_facts_ended. A question that takes too long, or can't be read, has a problem. */
export async function readFigures(db: Db, question: FigureQuestion): Promise<FigureResult> {
  try {
    const rows = await planned(db, { ...MANY_ROWS, statement_timeout: String(LONGEST_MS) }, async (tx) => {
      const rows = await groupedRows(tx, question);
      const { tenant, split } = question;
      if (split.by !== "insight" || !(await lookedAt(tx, tenant, split.insight)).has_lists) return rows;
      // A session counts for each entry of a list, and once in the total.
      const whole = await groupedRows(tx, { ...question, split: { by: "none" } });
      return [...whole, ...rows.filter(({ is_total }) => !is_total)];
    });
    return { rows, problem: null };
  } catch (error) {
    if (isStatementTimeout(error)) return { rows: null, problem: TOO_LONG };
    if (error instanceof UnreadableFilter) return { rows: null, problem: error.message };
    throw error;
  }
}

/** The total, and of values one more than are shown: that tells whether there are others. */
async function groupedRows(tx: Tx, question: FigureQuestion): Promise<FigureRow[]> {
  const { metric, split, starts } = question;
  const from = ruleOf(metric.name).of === "people" ? peopleRows(question) : await sessionRows(tx, question);
  const limit = 1 + (isTime(split.by) ? starts.length : MOST_VALUES + 1);
  if (ruleOf(metric.name).kind === "percentile")
    return percentiles(tx, from, metric.name === "latency_p50" ? 0.5 : 0.95, limit);
  const { rows } = await sql<FigureRow>`
    select grouping(k) = 1 as is_total, k::text as key, ${columnsOf(metric.name)}
    from (${from}) as r
    group by grouping sets ((), (k))
    having grouping(k) = 1 or k is not null
    order by grouping(k) desc, 3 desc, 2 limit ${limit}::bigint`.execute(tx);
  return rows;
}

/** Of rows with what is measured as `v` and, of a rate, whether it applies as `v`. */
function columnsOf(metric: MetricName): RawBuilder<unknown> {
  const { kind } = ruleOf(metric);
  switch (kind) {
    case "count":
      return sql`count(*) as sessions, count(*) as n, null::bigint as part, count(*)::double precision as value, null::double precision as variance`;
    case "rate":
      return sql`count(*) as sessions, count(*) as n, count(*) filter (where v) as part,
        (count(*) filter (where v))::double precision / nullif(count(*), 0) as value, null::double precision as variance`;
    case "mean":
      return sql`count(*) as sessions, count(v) as n, null::bigint as part, avg(v)::double precision as value,
        var_samp(v)::double precision as variance`;
    case "sum":
      return sql`count(*) as sessions, count(v) as n, null::bigint as part, coalesce(sum(v::double precision), 0) as value,
        null::double precision as variance`;
    case "percentile":
      throw new Error("percentiles are counted apart");
    default:
      return unreachable(kind);
  }
}

/**
 * The smallest of the values, in whole milliseconds, that so large a part of them doesn't exceed. How often each occurs is
 * counted first, and only these counts are put in order: of half a million waits that is a tenth of the sorting.
 */
async function percentiles(
  db: Db,
  from: RawBuilder<unknown>,
  part: number,
  limit: number,
): Promise<FigureRow[]> {
  const { rows } = await sql<FigureRow>`
    with value as materialized (
      select k, v, count(*) as n, count(*) filter (where is_first) as first from (${from}) as r group by k, v),
    counted as (
      select grouping(k) = 1 as is_total, k, v, sum(n) as n, sum(first) as first
      from value group by grouping sets ((k, v), (v))),
    reached as (
      select is_total, k, v, sum(n) over up_to as up_to, sum(n) over of_all as n, sum(first) over of_all as first
      from counted
      window of_all as (partition by is_total, k), up_to as (partition by is_total, k order by v))
    select is_total, k::text as key, max(first)::bigint as sessions, max(n)::bigint as n, null::bigint as part,
      (min(v) filter (where up_to >= n * ${part}::double precision))::double precision as value, null::double precision as variance
    from reached where is_total or k is not null
    group by is_total, k order by is_total desc, 3 desc, 2 limit ${limit}::bigint`.execute(db);
  return rows;
}

/** What is measured of a session `f`. */
function measured(metric: MetricName): RawBuilder<unknown> {
  switch (metric) {
    case "turns":
      return sql`f.turns`;
    case "duration":
      return sql`f.duration_s`;
    // What has a price is spent, also where the rest of the session has none; its mean would be of halves.
    case "cost":
      return sql`coalesce(f.cost_usd, f.known_usd)`;
    case "cost_per_session":
      return sql`f.cost_usd`;
    case "errors":
      return sql`f.is_error`;
    case "hand_overs":
      return sql`f.end_reason is not distinct from 'transfer'`;
    case "tool_failures":
      return sql`f.is_tool_failure`;
    case "latency_p50":
    case "latency_p95":
      return sql`w.ms::integer`;
    case "insight_mean":
      return sql`i.number`;
    default:
      return sql`true`;
  }
}

const bucket = (column: RawBuilder<unknown>, starts: Date[]) =>
  sql`width_bucket(${column}, ${starts.map((start) => start.toISOString())}::timestamptz[])`;

async function sessionRows(db: Db, question: FigureQuestion): Promise<RawBuilder<unknown>> {
  const { tenant, metric, split, span, starts, by } = question;
  const time = sql.ref(`f.${by}`);
  // What ended within the span may have begun before it.
  const began = by === "began_at" ? span.from : new Date(span.from.getTime() - LONGEST_SESSION_MS);
  const filters = await factFilters(db, tenant, question, began);
  const isRate = metric.name === "insight_rate";
  const needsInsight = isRate || metric.name === "insight_mean";
  const looked = await lookedAt(db, tenant, metric.insight);
  const splitBy = await lookedAt(db, tenant, split.insight);
  return sql`
    select ${keyOf(split, time, starts)} as k,
      ${isRate ? sql`(i.text = ${metric.value} or ${metric.value} = any(i.entries))` : measured(metric.name)} as v,
      ${ruleOf(metric.name).kind === "percentile" ? sql`w.nth = 1` : sql`true`} as is_first
    from session_facts f
    ${needsInsight ? sql`join ${insightOf(tenant, looked, began)} as i on i.session_id = f.session_id` : sql``}
    ${
      split.by === "insight"
        ? sql`left join ${insightOf(tenant, splitBy, began)} as by_insight on by_insight.session_id = f.session_id
            ${splitBy.has_lists ? EACH_ENTRY : sql`cross join lateral (select by_insight.text) as entry (text)`}`
        : sql``
    }
    ${split.by === "label" ? sql`left join ${labels(tenant, began)} as by_label on by_label.session_id = f.session_id` : sql``}
    ${ruleOf(metric.name).kind === "percentile" ? sql`cross join lateral unnest(f.waits_ms) with ordinality as w (ms, nth)` : sql``}
    where f.sub_organization_id = ${tenant}::bigint
      and ${time} >= ${span.from.toISOString()}::timestamptz and ${time} < ${span.to.toISOString()}::timestamptz
      ${filters.length > 0 ? sql`and ${sql.join(filters, sql` and `)}` : sql``}`;
}

const EACH_ENTRY = sql`
  left join lateral unnest(coalesce(by_insight.entries, array[by_insight.text])) as entry (text) on true`;

/** A session of days is found by when it ended all the same. */
const LONGEST_SESSION_MS = 90 * 86_400_000;

function keyOf({ by }: FigureSplit, time: RawBuilder<unknown>, starts: Date[]): RawBuilder<unknown> {
  switch (by) {
    case "none":
      return sql`null::text`;
    case "day":
    case "hour":
      return bucket(time, starts);
    case "agent":
      return sql`f.agent_id`;
    case "version":
      return sql`f.agent_id || '.' || f.agent_version`;
    case "channel":
      return sql`f.channel`;
    case "campaign":
      return sql`f.campaign_id`;
    case "end_reason":
      return sql`f.end_reason`;
    case "insight":
      return sql`entry.text`;
    case "label":
      return sql`by_label.code`;
    default:
      return unreachable(by);
  }
}

/** The rating of each session: of a person, else of a program. */
const labels = (tenant: number, began: Date): RawBuilder<unknown> => sql`(
  select distinct on (l.session_id) l.session_id, l.code
  from session_labels l
  where l.sub_organization_id = ${tenant}::bigint and l.timestamp >= ${began.toISOString()}::timestamptz
  order by l.session_id, l.type = 'human-rating' desc, l.id desc)`;

/**
 * People whom a campaign tried, by when a carrier first took an attempt, or by the first attempt where none was taken; what is
 * told of them is counted as in the campaign's funnel. Indexes: requests_sent, attempts_reference.
 */
function peopleRows(question: FigureQuestion): RawBuilder<unknown> {
  const { tenant, metric, split, span, starts, search_fields, search_field_values } = question;
  const campaigns = search_fields.map((_, n) => search_field_values[n]?.trim());
  const [from, to] = [span.from.toISOString(), span.to.toISOString()];
  return sql`
    select ${split.by === "campaign" ? sql`b.campaign_id` : isTime(split.by) ? bucket(sql`t.at`, starts) : sql`null::text`} as k,
      ${ofPerson(metric.name)} as v, true as is_first
    from batches b join requests r on r.batch_key = b.key
    ${metric.name === "people_goal" ? HAS_GOAL : sql``}
    cross join lateral (
      select coalesce(r.sent_at, (
        select min(a.started_at) from attempts a
        where a.campaign_id = b.campaign_id and a.reference_id = r.reference_id and a.request_id = r.id)) as at
    ) as t
    where b.sub_organization_id = ${tenant}::bigint and r.attempt_count > 0
      and (r.sent_at is null or r.sent_at >= ${from}::timestamptz and r.sent_at < ${to}::timestamptz)
      and t.at >= ${from}::timestamptz and t.at < ${to}::timestamptz
      ${
        campaigns.length > 0
          ? sql`and ${sql.join(
              campaigns.map((id) => sql`b.campaign_id = ${id}::bigint`),
              sql` and `,
            )}`
          : sql``
      }`;
}

/** Nobody reaches a goal that their campaign hasn't: in its funnel there is no figure either. */
const HAS_GOAL = sql`join campaigns c on c.id = b.campaign_id and c.goal is not null`;

function ofPerson(metric: MetricName): RawBuilder<unknown> {
  switch (metric) {
    case "people_answered":
      return sql`(r.talked or r.answered_by is distinct from 'MACHINE'
        and (r.answered_by is not null or r.request_status = 'COMPLETED'))`;
    case "people_talked":
      return sql`r.talked`;
    case "people_goal":
      return sql`r.reached_goal`;
    default:
      return sql`true`;
  }
}
