-- breaking: no
-- room: accounts
-- What an organization's agents may do and say; null: no rules.
alter table organizations add column safety_rules json;
alter table organizations add column safety_rules_updated_at timestamptz;
alter table organizations add column safety_rules_updated_by text;
