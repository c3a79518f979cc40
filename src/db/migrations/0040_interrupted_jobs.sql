-- breaking: no
-- Jobs of conversations that were running when their process died (jobs/interrupted.ts). One that twice went down with its
-- process is set aside, since it may be what ended both.
create table interrupted_jobs (
  job_id bigint primary key,
  name text not null,
  payload jsonb not null,
  sub_organization_id bigint references sub_organizations (id) on delete cascade,
  interruptions integer not null,
  interrupted_at timestamptz not null,
  set_aside_at timestamptz,
  told_at timestamptz
);
create index on interrupted_jobs (sub_organization_id);
