-- breaking: yes
-- Estimates over a million sessions, and two columns of requests that nothing wrote: what a request's insights are follows
-- from its session's executions and outputs.

alter table requests drop column insights, drop column insights_status;

-- A sixteenth of the sessions and of what was claimed of them, spread evenly over the ids (insights/sixteenth.ts): what an
-- estimate counts where there are too many to count them all.
create index sessions_sixteenth on sessions (sub_organization_id, timestamp)
  include (id, duration, last_activity_at, agent_id, agent_name, prompt_id, prompt_name, end_reason)
  where ended_at is not null and not is_test and id % 65536 * 40503 % 65536 < 4096;
create index insight_execution_tools_sixteenth
  on insight_execution_tools (workflow_id, insight_tool_id, insight_tool_version, session_id)
  where session_id is not null and session_id % 65536 * 40503 % 65536 < 4096;

alter table insight_backfills
  -- conditions, tools and their versions as they were when it was opened; null: not known
  add column rule text,
  -- its workflow is inactive: whatever matches from from_datetime up to here was analysed; null: not known
  add column covered_until timestamptz;

-- What was found of some days, for the dashboard: without it all that ever was found is read for a week.
create index insight_outputs_created on insight_outputs (sub_organization_id, created_at);
