import { type RawBuilder, sql } from "kysely";
import { isAnalysis } from "../insights/output.ts";

/**
 * Sessions `s` that tell whether they were a success of their experiment, and were one, or were none: those behind the
 * figure. As `toldBy` of the comparison, for whatever rule the experiment has. Indexes: experiment_sessions_pkey,
 * insight_outputs_session, session_tool_calls_pkey.
 */
export const toldSuccess = (is_success: boolean): RawBuilder<boolean> => sql`exists (
  select from experiment_sessions e join experiments x on x.id = e.experiment_id
  where e.session_id = s.id and e.is_over and x.success is not null and ${is_success} = (
    case when x.success ->> 'insight_key' is not null then (
        select coalesce(o.string_value, o.json_value ->> o.insight_key) in (select json_array_elements_text(x.success -> 'values'))
          or coalesce(o.entries && array(select json_array_elements_text(x.success -> 'values')), false)
        from insight_outputs o where o.session_id = e.session_id and o.insight_key = x.success ->> 'insight_key' and ${isAnalysis("o")}
        order by o.id desc limit 1)
      when x.success ->> 'tool' is not null then exists (
        select from session_tool_calls c
        where c.session_id = e.session_id and c.tool_name = x.success ->> 'tool' and c.error is null)
      else e.end_reason in (select json_array_elements_text(x.success -> 'end_reasons')) end))`;
