-- breaking: no
-- What an organization asks of every start to a person: their own clock, contact hours, caps over all campaigns. On the
-- organization's row, which every claim locks and reads anyway; null: nothing beyond the campaigns' own.

alter table organizations
  add column outreach_rules json,
  add column outreach_rules_updated_at timestamptz,
  add column outreach_rules_updated_by text;
