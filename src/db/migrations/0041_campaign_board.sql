-- breaking: no
-- room: batches
-- How far people of a campaign came: tried, answered, talked, goal. Counted by triggers, as their statuses are.

-- The person said or wrote something in a conversation of this request; the goal was found in one. Both stay.
alter table requests add column talked boolean not null default false;
alter table requests add column reached_goal boolean not null default false;
create index requests_talked on requests (batch_key, id) where talked;
-- For lists of one outcome, such as all that were busy.
create index requests_outcome on requests (batch_key, channel_manager_status, id)
  where (request_status in ('FAILED', 'SKIPPED', 'COMPLETED'));

-- Sums of all rows of a batch; a row is added by each statement that changes them, and added up by a job.
create table request_progress (
  batch_key bigint not null,
  skip_reason text,
  skipped bigint not null,
  tried bigint not null,
  answered bigint not null,
  talked bigint not null,
  reached_goal bigint not null,
  machines bigint not null,
  voicemails_left bigint not null
);
create index request_progress_batch on request_progress (batch_key);

create or replace function count_added_requests() returns trigger language plpgsql as $$
begin
  insert into request_counts
  select batch_key, request_status, channel_manager_status, count(*) from added group by 1, 2, 3;
  insert into request_progress
  select batch_key, skip_reason, sum(sign * (skip_reason is not null)::integer),
    sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)
  from (
    select batch_key, skip_reason ->> 'reason' as skip_reason, attempt_count, answered_by, request_status, talked,
      reached_goal, voicemail_left, request_status = 'COMPLETED' and coalesce(answered_by = 'MACHINE', false) as is_machine,
      sign
    from (select *, 1 as sign from added where request_status not in ('PENDING', 'DUPLICATE', 'INVALID')) as each
  ) as changed
  group by 1, 2
  having (sum(sign * (skip_reason is not null)::integer), sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)) is distinct from (0, 0, 0, 0, 0, 0, 0);
  return null;
end $$;

create or replace function count_moved_requests() returns trigger language plpgsql as $$
begin
  insert into request_counts
  select batch_key, request_status, channel_manager_status, sum(n)
  from (
    select batch_key, request_status, channel_manager_status, 1 as n from added
    union all
    select batch_key, request_status, channel_manager_status, -1 from removed
  ) as moved
  group by 1, 2, 3
  having sum(n) <> 0;
  insert into request_progress
  select batch_key, skip_reason, sum(sign * (skip_reason is not null)::integer),
    sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)
  from (
    select batch_key, skip_reason ->> 'reason' as skip_reason, attempt_count, answered_by, request_status, talked,
      reached_goal, voicemail_left, request_status = 'COMPLETED' and coalesce(answered_by = 'MACHINE', false) as is_machine,
      sign
    from (select *, 1 as sign from added union all select *, -1 from removed) as each
  ) as changed
  group by 1, 2
  having (sum(sign * (skip_reason is not null)::integer), sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)) is distinct from (0, 0, 0, 0, 0, 0, 0);
  return null;
end $$;

create or replace function count_removed_requests() returns trigger language plpgsql as $$
begin
  insert into request_counts
  select batch_key, request_status, channel_manager_status, -count(*) from removed group by 1, 2, 3;
  insert into request_progress
  select batch_key, skip_reason, sum(sign * (skip_reason is not null)::integer),
    sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)
  from (
    select batch_key, skip_reason ->> 'reason' as skip_reason, attempt_count, answered_by, request_status, talked,
      reached_goal, voicemail_left, request_status = 'COMPLETED' and coalesce(answered_by = 'MACHINE', false) as is_machine,
      sign
    from (select *, -1 as sign from removed) as each
  ) as changed
  group by 1, 2
  having (sum(sign * (skip_reason is not null)::integer), sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)) is distinct from (0, 0, 0, 0, 0, 0, 0);
  return null;
end $$;

-- What was tried before this migration. Conversations count from it on, or when a goal is set.
insert into request_progress
  select batch_key, skip_reason, sum(sign * (skip_reason is not null)::integer),
    sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)
  from (
    select batch_key, skip_reason ->> 'reason' as skip_reason, attempt_count, answered_by, request_status, talked,
      reached_goal, voicemail_left, request_status = 'COMPLETED' and coalesce(answered_by = 'MACHINE', false) as is_machine,
      sign
    from (select *, 1 as sign from requests) as each
  ) as changed
  group by 1, 2
  having (sum(sign * (skip_reason is not null)::integer), sum(sign * (attempt_count > 0 or talked)::integer),
    sum(sign * (talked or answered_by is distinct from 'MACHINE'
      and (answered_by is not null or request_status = 'COMPLETED'))::integer),
    sum(sign * talked::integer), sum(sign * (talked and reached_goal)::integer), sum(sign * is_machine::integer),
    sum(sign * (is_machine and coalesce(voicemail_left, false))::integer)) is distinct from (0, 0, 0, 0, 0, 0, 0);

-- Read from request_progress now.
drop index requests_machine;

-- room: campaigns
-- The result of an insight that a conversation of this campaign is for: {insight_key, value}.
alter table campaigns add column goal json;

-- room: dialing
-- Which attempt led to a conversation.
create index attempts_session on attempts (session_id) where session_id is not null;
