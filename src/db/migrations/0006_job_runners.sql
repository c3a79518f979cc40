-- breaking: no
-- Which processes run jobs, and that they still do. A killed one stops beating; its jobs are freed (jobs/heartbeat.ts).
create table job_runners (
  id text primary key,
  heartbeat_at timestamptz not null
);
