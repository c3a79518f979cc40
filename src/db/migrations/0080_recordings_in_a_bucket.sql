-- breaking: no
-- room: sessions
-- Where a recording's file is. both: it is in the bucket, and its file on disk is about to go.
alter table recordings add column stored_in text not null default 'disk'
  check (stored_in in ('disk', 'both', 'bucket'));
-- The organization's key that seals the file in the bucket; null where it is not sealed, or on disk.
alter table recordings add column bucket_key_id bigint;
create index recordings_to_move on recordings (id) where (stored_in <> 'bucket');

-- Uploads that were begun: what of them has no recording any more is removed from the bucket.
create table recording_uploads (
  file_name text primary key,
  began_at timestamptz not null
);
