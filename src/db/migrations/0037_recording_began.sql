-- When the first sample of a recording was heard, so that what happened in the call has its place in it. Null: not known,
-- as of recordings that a carrier made.
alter table recordings add column began_at timestamptz;
