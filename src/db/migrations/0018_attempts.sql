-- breaking: no
-- Who is tried, when, and what became of it (outbound/dialer.ts).

alter table requests
  -- why nobody was tried: {kind, text, ...} (outbound/next-step.ts)
  add column skip_reason json,
  -- tries in a row that the carrier did not take; each waits longer than the one before
  add column refusals integer not null default 0;
-- Retries go before first attempts, and go on when the day's cap of those is reached.
create index requests_skipped on requests (batch_key, id) where skip_reason is not null;
create index requests_retry on requests (batch_key, due_at) where request_status = 'PENDING' and attempt_count > 0;

-- One try to reach one person. Committed before the carrier is asked; what the carrier tells finds it by its key.
create table attempts (
  -- ours, and known to the carrier; begins with the time, so that new ones lie together
  key text collate "C" primary key,
  organization_id bigint not null,
  sub_organization_id bigint not null,
  campaign_id bigint not null,
  batch_key bigint not null,
  request_id bigint not null,
  reference_id text collate "C" not null,
  -- 1: the first
  attempt_number integer not null,
  mode text not null,
  agent_id bigint not null,
  channel_id bigint not null,
  channel_target_id bigint not null,
  source text not null,
  caller_id text,
  target text not null,
  is_test boolean not null,
  -- CLAIMED: about to be handed to the carrier by lease_owner; PLACED: the carrier has it; UNCERTAIN: it may, and is
  -- asked before anything else; ENDED: nothing more happens, though late signals may still say how it ended
  state text collate "C" not null check (state in ('CLAIMED', 'PLACED', 'UNCERTAIN', 'ENDED')),
  -- counts towards what may run at once; given back by the transaction that records the outcome
  holds_slot boolean not null,
  -- the day of the agent's calendar whose cap it counts towards; null: a retry, or a reference that counted already
  counted_on date,
  channel_status text collate "C" not null,
  -- who was heard: HUMAN, MACHINE or UNKNOWN
  answerer text collate "C",
  -- the carrier's own words
  provider_status text,
  error_code text,
  sid text,
  session_id bigint,
  conversation_id bigint,
  started_at timestamptz not null,
  placed_at timestamptz,
  ended_at timestamptz,
  lease_owner text,
  -- CLAIMED: when the lease runs out; UNCERTAIN: when the carrier is asked; PLACED: when we stop waiting for its word
  check_at timestamptz,
  -- how often an UNCERTAIN one was asked about
  checks integer not null default 0,
  -- what followed: {kind, text, ...}
  decision json
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Never two live attempts for one request, nor for one reference id of a campaign.
create unique index attempts_live_request on attempts (batch_key, request_id) where state <> 'ENDED';
create unique index attempts_live_reference on attempts (campaign_id, reference_id) where state <> 'ENDED';
create index attempts_reference on attempts (campaign_id, reference_id, attempt_number);
create index attempts_check on attempts (check_at) where state <> 'ENDED';
create index attempts_slots on attempts (organization_id, source) where holds_slot;
create index attempts_started on attempts (batch_key, started_at);

-- When a batch is looked at next. Its row is locked by who decides about it.
create table batch_pacing (
  batch_key bigint primary key references batches,
  -- null: not before something wakes it (requests are added, a schedule is changed, a retry is set)
  wake_at timestamptz,
  -- when its last attempt started; the next starts an interval later at the earliest
  last_at timestamptz,
  -- of auto_call_rate, attempts per hour, and when that was worked out
  auto_rate double precision,
  rated_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index batch_pacing_wake on batch_pacing (wake_at) where wake_at is not null;
insert into batch_pacing (batch_key, wake_at)
select key, created_at from batches where status not in ('CANCELED', 'EXPIRED');

-- People of a campaign reached for the first time on a day of its agent's calendar.
create table campaign_days (
  campaign_id bigint not null references campaigns,
  day date not null,
  first_attempts bigint not null,
  primary key (campaign_id, day)
) with (fillfactor = 50);

-- How the attempts from a number or address went lately (outbound/breaker.ts).
create table dial_sources (
  organization_id bigint not null references organizations,
  source text collate "C" not null,
  -- what was counted since then
  since timestamptz not null,
  ended integer not null,
  failed integer not null,
  -- nothing is tried until then, and then one attempt decides
  closed_until timestamptz,
  -- failures of that one in a row; the wait doubles
  trips integer not null default 0,
  primary key (organization_id, source)
) with (fillfactor = 50);
