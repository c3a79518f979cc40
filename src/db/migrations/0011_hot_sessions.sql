-- breaking: no
-- A turn writes its session's row twice, and with it every index if one of them has a column that changed. None has
-- last_activity_at any more, so PostgreSQL writes the new version of the row into the same page and no index. Some room is
-- left in each page for that.

alter table sessions set (fillfactor = 80);

drop index sessions_open;
create index sessions_open on sessions (channel, id) where ended_at is null;

drop index sessions_analysable;
create index sessions_analysable on sessions (sub_organization_id, timestamp)
  include (id, duration, ended_at, agent_id, agent_name, prompt_id, prompt_name, end_reason)
  where ended_at is not null and not is_test;
drop index sessions_sixteenth;
create index sessions_sixteenth on sessions (sub_organization_id, timestamp)
  include (id, duration, ended_at, agent_id, agent_name, prompt_id, prompt_name, end_reason)
  where ended_at is not null and not is_test and id % 65536 * 40503 % 65536 < 4096;
