-- breaking: no
-- room: number-groups
-- Numbers that campaigns send from as a pool.
create table number_groups (
  id bigint generated always as identity primary key,
  sub_organization_id bigint not null references sub_organizations,
  name text not null,
  mode text collate "C" not null check (mode in ('voice', 'sms')),
  -- On whose clock a day begins.
  timezone text not null,
  -- Of each number; null: none.
  daily_cap integer check (daily_cap > 0),
  local_presence boolean not null,
  -- When a number is rested automatically (planning/numbers/number-health.ts); null: never.
  health json,
  updated_at timestamptz not null,
  last_updated_by text not null,
  deleted_at timestamptz,
  deleted_reason text
);
create unique index number_groups_name on number_groups (sub_organization_id, name) where (deleted_at is null);
-- A number is in one group, so that it has one cap and one day.
create table number_group_numbers (
  channel_target_id bigint primary key references channel_targets on delete cascade,
  group_id bigint not null references number_groups,
  -- The end of its last rest. Attempts before it do not count for its health any more.
  resting_until timestamptz,
  rest_reason text
);
create index number_group_numbers_group on number_group_numbers (group_id);
-- By the number and not by its channel target: taken out of a group and put back, it keeps what it was used today.
create table number_uses (
  organization_id bigint not null references organizations,
  mode text collate "C" not null check (mode in ('voice', 'sms')),
  number text collate "C" not null,
  day date not null,
  uses integer not null,
  constraint number_uses_pkey primary key (organization_id, mode, number, day)
) with (fillfactor = 50);
-- room: campaigns
alter table campaigns add column number_group_id bigint references number_groups;
create index campaigns_number_group on campaigns (number_group_id) where (number_group_id is not null);
-- room: dialing
-- The group that the attempt's number was in, the day its use counts on, and why it was chosen.
alter table attempts add column number_group_id bigint;
alter table attempts add column number_day date;
alter table attempts add column number_choice json;
create index attempts_number_group on attempts (number_group_id, started_at) where (number_group_id is not null);
