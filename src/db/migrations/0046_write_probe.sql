-- breaking: no
-- What readiness writes, to know whether anything can be written (api/health.ts).
create table write_probes (
  id smallint primary key check (id = 1),
  written_at timestamptz not null
);
