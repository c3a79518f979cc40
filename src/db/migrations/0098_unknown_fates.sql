-- breaking: no
-- room: test-outreach
-- A test that may have been handed over, of which its carrier tells nothing.
alter table test_outreach drop constraint test_outreach_state_check;
alter table test_outreach add constraint test_outreach_state_check
  check (state in ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'UNKNOWN'));
-- What is not over is looked for by when it began.
create index test_outreach_open on test_outreach (started_at) where state in ('QUEUED', 'SENDING');
