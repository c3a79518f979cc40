-- When a suite runs by itself, and who is told of its runs. `next_at` is null while it is off.
create table test_schedules (
  suite_id bigint primary key references test_suites,
  sub_organization_id bigint not null references sub_organizations,
  is_active boolean not null,
  time_of_day text not null,
  timezone text not null,
  days text[] not null,
  against text not null check (against in ('draft', 'live')),
  repetitions integer not null,
  seed bigint not null,
  cost_cap_usd double precision,
  webhook_url text,
  sealed_hmac_secret text,
  next_at timestamptz,
  note text,
  noted_at timestamptz,
  last_updated timestamptz not null,
  last_updated_by text not null
);
create index test_schedules_due on test_schedules (next_at) where next_at is not null;

-- How the suite's webhook was told of the run; null: there was none.
alter table test_runs add column is_scheduled boolean not null default false;
alter table test_runs add column notice json;

-- What a conversation took: answers_ms, from the person's words to the agent's answer, turn by turn, without the time of
-- tools; and agent_cost_usd, of the agent's own model.
alter table test_results add column measures json;

-- Whose lines a conversation repeats, so that it is deleted with that session.
alter table test_results add column recorded_session_id bigint references sessions;
create index test_results_recorded on test_results (recorded_session_id) where recorded_session_id is not null;
