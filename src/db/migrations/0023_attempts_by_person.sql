-- breaking: no

alter table attempts
  -- UNCERTAIN: it was handed to the carrier by then, if it ever was; null: not known
  add column handed_over_by timestamptz;
-- Whose turn it is first among those never tried, though a million others wait for a retry.
create index requests_first on requests (batch_key, due_at) where request_status = 'PENDING' and attempt_count = 0;
-- How often an address was tried lately, over all campaigns (outbound/per-person.ts).
create index attempts_target on attempts (sub_organization_id, target, started_at);
