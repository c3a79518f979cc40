-- breaking: no
-- room: accounts
-- What agents say at the start of a conversation, by where the person is; null: nothing.
alter table organizations add column announcements json;
alter table organizations add column announcements_updated_at timestamptz;
alter table organizations add column announcements_updated_by text;
