import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import { isAnalysis } from "../insights/output.ts";

/**
 * What an insight says of each session, the newest analysis. Longer texts say something else each time; of a list the entries
 * count. Most insights have no list, and looking for both takes twice as long. Indexes: insight_outputs_value,
 * insight_outputs_lists.
 */
export function insightOf(tenant: number, { insight, has_lists }: Looked, began: Date): RawBuilder<unknown> {
  const value = sql`o.json_value ->> o.insight_key`;
  const outputs = (text: RawBuilder<unknown>) => sql`
    select o.session_id, o.id, ${text} as text, o.numeric_value as number, ${has_lists ? sql`o.entries` : sql`null::text[]`} as entries
    from insight_outputs o
    where o.sub_organization_id = ${tenant}::bigint and o.insight_key = ${insight} and o.session_id is not null
      and ${isAnalysis("o")} and o.created_at >= ${began.toISOString()}::timestamptz`;
  const lists = sql`union all ${outputs(sql`null`)} and o.entries is not null and length(${value}) > 60`;
  return sql`(
    select distinct on (session_id) session_id, text, number, entries
    from (${outputs(value)} and length(${value}) <= 60 ${has_lists ? lists : sql``}) as found
    order by session_id, id desc)`;
}

/** An insight, and whether any of what it found is a list. */
type Looked = { insight: string; has_lists: boolean };

/** Index: insight_outputs_lists. */
export async function lookedAt(db: Db, tenant: number, insight: string | null | undefined): Promise<Looked> {
  if (!insight) return { insight: "", has_lists: false };
  const { rows } = await sql<{ has_lists: boolean }>`
    select exists (select from insight_outputs where sub_organization_id = ${tenant}::bigint
      and insight_key = ${insight} and session_id is not null and entries is not null) as has_lists`.execute(
    db,
  );
  return { insight, has_lists: rows[0]?.has_lists ?? false };
}
