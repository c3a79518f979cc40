import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { byDay, type DayCount, dayOf, type Figures, type Period, table, within } from "./figures.ts";

/** Longer texts are summaries, which say something else each time. */
const MAX_VALUE_CHARACTERS = 60;

const outputsOf = (period: Period) => sql`
  insight_outputs o left join sessions s on s.id = o.session_id
  where o.sub_organization_id = ${period.sub_organization_id} and s.is_test is not true
    and ${within("o.created_at", period)}`;

export async function insights(db: Db, period: Period): Promise<Figures> {
  const [totals, days, keys, values] = await Promise.all([
    sql<{ outputs: number; subjects: number }>`
      select count(*) as outputs, count(distinct (o.session_id, o.upload_file_id)) as subjects
      from ${outputsOf(period)}`.execute(db),
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
      select o.insight_key as "Insight", o.string_value as "Value", count(*) as "Outputs"
      from ${outputsOf(period)} and length(o.string_value) <= ${MAX_VALUE_CHARACTERS}
      group by 1, 2 order by 1, 3 desc, 2 limit 500`.execute(db),
  ]);
  const { outputs, subjects } = totals.rows[0]!;
  return {
    numbers: [
      { name: "Analysed", value: subjects, unit: "count" },
      { name: "Outputs", value: outputs, unit: "count" },
    ],
    by_day: byDay(period, days.rows, ["Analysed"]),
    tables: [
      table("By insight", ["Insight", "Outputs", "Mean", "Lowest", "Highest"], keys.rows),
      table("Values", ["Insight", "Value", "Outputs"], values.rows),
    ],
  };
}
