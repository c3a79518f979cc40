-- breaking: no
-- room: accounts
-- Limits below the installation's that an organization sets for itself.
alter table organizations add column own_limits json;
alter table organizations add column own_limits_updated_at timestamptz;
alter table organizations add column own_limits_updated_by text;
