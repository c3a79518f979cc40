-- breaking: no
-- Executions are claimed of each sub-organization in turn, so that nobody's long queue holds up another's (insights/claim.ts).
create index insight_executions_of_tenant on insight_executions (sub_organization_id, priority, run_at, id)
  where status = 'PENDING';
