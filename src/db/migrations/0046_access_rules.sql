-- breaking: no
-- room: accounts
-- How an organization's people sign in, and from which networks it is used; null: no rules.
alter table organizations add column access_rules json;
alter table organizations add column access_rules_updated_at timestamptz;
alter table organizations add column access_rules_updated_by text;

-- The networks that a token is used from; null: from everywhere.
alter table api_tokens add column allowed_networks text[];
