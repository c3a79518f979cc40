-- breaking: no
-- Which model answered an insight, where it was asked for: what the offline model said is no analysis, and is told apart
-- wherever it is shown.
alter table insight_outputs add column model text;
update insight_outputs o set model = x.model
from insight_execution_tools x
where x.execution_id = o.execution_id and x.insight_tool_id = o.insight_tool_id and x.model is not null;
