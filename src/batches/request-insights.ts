import { type RawBuilder, sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { FoundInsight } from "../campaigns/goal.ts";
import { SCRIPTED_MODEL } from "../llm/catalogue.ts";

/*
 * What insight workflows made of the session a request led to, read where it is: no copy of it could fall behind. Both stand
 * in a query over `requests`. Indexes: insight_executions_session, insight_outputs_session.
 */

/** The state of what is least far; null where nothing analyses the session, or there is none. */
export const insightsStatus = sql<string | null>`(
  select case
    when bool_or(e.status = 'PROCESSING') then 'PROCESSING'
    when bool_or(e.status = 'PENDING') then 'PENDING'
    when bool_or(e.status = 'FAILED') then 'FAILED'
    when count(*) > 0 then 'COMPLETED' end
  from insight_executions e where e.session_id = requests.session_id)`;

const newestOfEachKey = (counted: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select distinct on (insight_key) insight_key, string_value, numeric_value, entries, model
  from insight_outputs where session_id = requests.session_id and ${counted} order by insight_key, id desc`;

const ANY = newestOfEachKey(sql`true`);
const ANALYSES = newestOfEachKey(sql`model is distinct from ${SCRIPTED_MODEL}`);

const VALUE = sql`case when o.string_value is null then to_json(o.numeric_value) else to_json(o.string_value) end`;

const valuesOf = (newest: RawBuilder<unknown>) => sql<Record<string, string | number> | null>`(
  select json_object_agg(o.insight_key, ${VALUE}) from (${newest}) as o)`;

const told = <T>({ permissions }: Caller, value: RawBuilder<T>): RawBuilder<T | null> =>
  permissions.has("insights_read") ? value : sql<null>`null`;

/** The newest value of every key, as a text or a number; null where nothing was found, and for callers who may not read insights. */
export const insightsFound = (caller: Caller) => told(caller, valuesOf(ANY));
/** All of them without what the offline model made up, before an analysis or after it; a list with its entries. */
export const insightsAnalysed = sql<Record<string, FoundInsight> | null>`(
  select json_object_agg(o.insight_key, json_build_object('value', ${VALUE}, 'entries', o.entries))
  from (${ANALYSES}) as o)`;

/** Whether the offline model made up any of these values; null where no value is shown. */
export const insightsScripted = (caller: Caller) =>
  told(
    caller,
    sql<boolean | null>`(select bool_or(o.model is not distinct from ${SCRIPTED_MODEL}) from (${ANY}) as o)`,
  );
