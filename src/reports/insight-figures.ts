import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import {
  AGENT_NAME,
  byDay,
  type DayCount,
  dayOf,
  type Figures,
  type Period,
  table,
  within,
} from "./figures.ts";

/** Longer texts are summaries, which say something else each time. */
const MAX_VALUE_CHARACTERS = 60;

type OfVersion = {
  Agent: string;
  Prompt: string;
  Version: number;
  Insight: string;
  Value: string | null;
  Outputs: number;
  Mean: number | null;
};
type SpentOnTool = {
  Workflow: string;
  Tool: string;
  Runs: number;
  Failed: number;
  "Tokens in": number;
  "Tokens out": number;
  /** null: no price is known of what was used. */
  "US dollars": number | null;
};

const allOutputs = (period: Period, more = sql``) => sql`
  insight_outputs o left join sessions s on s.id = o.session_id ${more}
  where o.sub_organization_id = ${period.sub_organization_id} and s.is_test is not true
    and ${within("o.created_at", period)}`;

/** Without what the offline model made up, unless it is asked for. */
const outputsOf = (period: Period, more = sql``) =>
  period.with_scripted
    ? allOutputs(period, more)
    : sql`${allOutputs(period, more)} and o.model is distinct from 'scripted'`;

/** A list counts for each of its entries. */
const VALUES = sql`left join lateral unnest(coalesce(o.entries, array[o.string_value])) as value (text) on true`;

export async function insights(db: Db, period: Period): Promise<Figures> {
  const [totals, days, keys, values, versions, spent, failures] = await Promise.all([
    sql<{ outputs: number; subjects: number; scripted: number }>`
      select count(*) filter (where counts) as outputs,
        count(distinct (session_id, upload_file_id)) filter (where counts) as subjects,
        count(*) filter (where scripted) as scripted
      from (
        select o.session_id, o.upload_file_id, o.model is not distinct from 'scripted' as scripted,
          ${period.with_scripted} or o.model is distinct from 'scripted' as counts
        from ${allOutputs(period)}) as found`.execute(db),
    sql<DayCount>`
      select ${dayOf("o.created_at", period)} as day, 'Analysed' as kind,
        count(distinct (o.session_id, o.upload_file_id)) as count
      from ${outputsOf(period)} group by 1`.execute(db),
    sql<{
      Insight: string;
      Outputs: number;
      Mean: number | null;
      Lowest: number | null;
      Highest: number | null;
    }>`
      select o.insight_key as "Insight", count(*) as "Outputs", round(avg(o.numeric_value)::numeric, 2) as "Mean",
        min(o.numeric_value) as "Lowest", max(o.numeric_value) as "Highest"
      from ${outputsOf(period)} group by 1 order by 2 desc, 1 limit 200`.execute(db),
    sql<{ Insight: string; Value: string; Outputs: number }>`
      select o.insight_key as "Insight", value.text as "Value", count(*) as "Outputs"
      from ${outputsOf(period, VALUES)} and length(value.text) <= ${MAX_VALUE_CHARACTERS}
      group by 1, 2 order by 1, 3 desc, 2 limit 500`.execute(db),
    sql<OfVersion>`
      select ${AGENT_NAME} as "Agent", s.prompt_name as "Prompt", s.prompt_version_number as "Version",
        o.insight_key as "Insight",
        value.text as "Value",
        count(*) as "Outputs", round(avg(o.numeric_value)::numeric, 2) as "Mean"
      from ${outputsOf(period, VALUES)} and s.id is not null
        and (length(value.text) <= ${MAX_VALUE_CHARACTERS} or o.string_value is null)
      group by s.agent_id, 2, 3, 4, 5 order by 4, 1, 2, 3 desc, 6 desc, 5 limit 500`.execute(db),
    sql<SpentOnTool>`
      select w.name as "Workflow", c.name as "Tool", sum(u.runs) as "Runs", sum(u.failed_runs) as "Failed",
        sum(u.input_tokens) as "Tokens in", sum(u.output_tokens) as "Tokens out",
        round(nullif(sum(u.cost_usd), 0)::numeric, 4) as "US dollars"
      from insight_usage u
      join insight_workflows w on w.id = u.workflow_id
      join insight_tools c on c.id = u.insight_tool_id
      where w.sub_organization_id = ${period.sub_organization_id}
        and u.day >= (${period.starts[0]?.toISOString()}::timestamptz)::date
        and u.day <= (${period.to.toISOString()}::timestamptz)::date
      group by 1, 2 order by 7 desc nulls last, 3 desc, 1, 2 limit 200`.execute(db),
    sql<{ Reason: string; Executions: number }>`
      select e.error_message as "Reason", count(*) as "Executions"
      from insight_executions e
      where e.sub_organization_id = ${period.sub_organization_id} and e.status = 'FAILED'
        and ${within("e.created_at", period)}
      group by 1 order by 2 desc, 1 limit 100`.execute(db),
  ]);
  const { outputs, subjects, scripted } = totals.rows[0]!;
  return {
    numbers: [
      { name: "Analysed", value: subjects, unit: "count" },
      { name: "Outputs", value: outputs, unit: "count" },
      {
        name: period.with_scripted ? "Of these by the offline model" : "Left out: by the offline model",
        value: scripted,
        unit: "count",
      },
    ],
    by_day: byDay(period, days.rows, ["Analysed"]),
    tables: [
      table("By insight", ["Insight", "Outputs", "Mean", "Lowest", "Highest"], keys.rows),
      table("Values", ["Insight", "Value", "Outputs"], values.rows),
      table(
        "By agent and prompt version",
        ["Agent", "Prompt", "Version", "Insight", "Value", "Outputs", "Mean"],
        versions.rows,
      ),
      table(
        "What it took (days of UTC)",
        ["Workflow", "Tool", "Runs", "Failed", "Tokens in", "Tokens out", "US dollars"],
        spent.rows,
      ),
      table("What failed", ["Reason", "Executions"], failures.rows),
    ],
  };
}
