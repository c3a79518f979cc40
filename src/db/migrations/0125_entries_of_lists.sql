-- breaking: no
-- room: insights
-- The entries of a value that is a list, each once; null: it is no list.
alter table insight_outputs add column entries text[];
create index insight_outputs_entries on insight_outputs using gin (entries) where (session_id is not null and entries is not null);
create index insight_outputs_lists on insight_outputs (sub_organization_id, insight_key, session_id)
  where (session_id is not null and entries is not null);
-- Lists from before the column: those below `before_id` are still to be taken apart, newest first.
create table insight_entries_backfill (
  before_id bigint not null
);
insert into insight_entries_backfill select max(id) + 1 from insight_outputs having max(id) is not null;
