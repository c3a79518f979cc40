-- breaking: no
-- Of those due at once, in the order in which they came: lists are reached from their top.
drop index requests_waiting;
create index requests_waiting on requests (batch_key, least(attempt_count, 1), due_at, id) where request_status = 'PENDING';
