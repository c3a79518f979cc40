-- breaking: no
-- Work that twice went down with its process is set aside (jobs/interrupted.ts): now also insight executions and web chats.

-- Which runner began it again after its first interruption: a second one counts only for what was begun. And what an
-- earlier try said before the process died.
alter table interrupted_jobs
  add column begun_by text,
  add column last_error text;

-- Its status is FAILED as well; null again once it is retried.
alter table insight_executions add column set_aside_at timestamptz;
create index insight_executions_set_aside on insight_executions (set_aside_at desc) where set_aside_at is not null;
-- Those that went down with their process once, which are run one at a time.
create index insight_executions_suspect on insight_executions (sub_organization_id, priority, run_at, id)
  where status = 'PENDING' and interruptions > 0;

-- Turns of a web chat in a row that went down with their process.
alter table sessions
  add column interruptions integer not null default 0,
  add column set_aside_at timestamptz;
create index sessions_set_aside on sessions (set_aside_at desc) where set_aside_at is not null;
