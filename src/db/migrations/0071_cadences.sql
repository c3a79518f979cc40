-- breaking: no
-- room: campaigns
-- Steps after the campaign's own first one, such as a text after a call that nobody answered; null: none were ever set.
alter table campaigns add column cadence json;

-- The step that a request is at: 0 is the campaign's own. `step_target`: its address, where that is not the request's own.
-- `step_log`: steps that were skipped, and what stopped the rest.
alter table requests add column step smallint not null default 0;
alter table requests add column step_target text collate "C";
alter table requests add column step_log json;
alter table attempts add column step smallint not null default 0;

-- Whoever waits for a step stands apart from first attempts (0) and retries (1), so that a channel that is held up holds up
-- no other.
drop index requests_waiting;
create index requests_waiting on requests (
  batch_key, (case when step = 0 then least(attempt_count, 1) else step + 1 end), due_at, id
) where request_status = 'PENDING';
