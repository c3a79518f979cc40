-- breaking: no
-- room: agents
-- Calls of an agent at once, both ways, beyond which campaigns start none; null: no own limit.
alter table agents add column max_concurrent integer check (max_concurrent > 0);
-- room: campaigns
-- Attempts of a campaign at once; null: no own limit.
alter table campaigns add column max_concurrent integer check (max_concurrent > 0);
-- Whose turn it is where places are short: 5 has twice the weight of 4, and so on.
alter table campaigns add column priority smallint not null default 3 check (priority >= 1 and priority <= 5);
-- room: dialing
-- Batches that would start an attempt if a place were free, as their last look found them (dialing/places/place-queue.ts).
-- Rows are read and written under the lock of their organization.
create table place_waits (
  batch_key bigint not null,
  step smallint not null,
  organization_id bigint not null references organizations,
  campaign_id bigint not null,
  agent_id bigint,
  is_call boolean not null,
  source text not null,
  number_group_id bigint,
  -- Since when its campaign waits: from its last start on.
  since timestamptz not null,
  looked_at timestamptz not null,
  constraint place_waits_pkey primary key (batch_key, step)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index place_waits_organization on place_waits (organization_id);
