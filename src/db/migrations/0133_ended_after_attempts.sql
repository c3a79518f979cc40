-- breaking: no
-- room: batches
-- Whom attempts were made to before their request was canceled or skipped: counted as not reached, and not as not tried.
create index requests_ended_tried on requests (batch_key, talked)
  where ((attempt_count > 0 or talked) and request_status in ('SKIPPED', 'CANCELED', 'INVALID'));
