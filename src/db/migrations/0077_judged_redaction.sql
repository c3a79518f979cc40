-- breaking: no
-- room: erasure
-- Redaction by a model's judgement, after a session's end: what to look for, and with which model.
alter table redaction_policies add column judge json;

-- room: sessions
-- When a session's words were judged; null where nobody asked for that, or not yet.
alter table sessions add column judged_at timestamptz;
-- After a failure, not before this.
alter table sessions add column judge_again_at timestamptz;
create index sessions_to_judge on sessions (ended_at) where (redaction -> 'judge') is not null and judged_at is null;
